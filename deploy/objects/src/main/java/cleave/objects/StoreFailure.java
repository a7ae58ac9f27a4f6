package cleave.objects;

import java.io.IOException;

/** An object store could not do what it was asked for. The message says what is wrong and what would be right. Immutable. */
final class StoreFailure extends IOException {
    private static final long serialVersionUID = 1;

    /** What may be done about it. */
    enum Kind {
        /** There is no such object. */
        ABSENT,
        /** The store may be able to do it a little later. */
        TRANSIENT,
        /** Nobody was reached at the store's address. */
        UNREACHABLE,
        /** The store has no such operation. */
        UNSUPPORTED,
        /** Asking again is no use. */
        REFUSED
    }

    private final Kind kind;

    StoreFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    boolean isTransient() {
        return kind == Kind.TRANSIENT || kind == Kind.UNREACHABLE;
    }
}
