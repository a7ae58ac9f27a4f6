package cleave.server.outside;

/** A store failed. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Where the fault lies, and so what helps. */
    public enum Kind {
        /** The medium: the range closes, and is opened again from the DFS. What is repeated may succeed. */
        MEDIUM,
        /** A local file is not what was written: the range closes, and is opened again from the DFS, which has what was written. */
        LOCAL_DAMAGE,
        /** A file is damaged in the DFS: opening again does not help. What lies elsewhere can be read, so the range stays open. */
        STORED_DAMAGE
    }

    private final Kind kind;

    public StoreException(String message) {
        super(message);
        this.kind = Kind.MEDIUM;
    }

    public StoreException(String message, Throwable cause) {
        this(Kind.MEDIUM, message, cause);
    }

    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public StoreException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** With the failure of the medium. */
    public static String reason(StoreException failure) {
        Throwable cause = failure.getCause();
        return cause == null ? String.valueOf(failure.getMessage()) : failure.getMessage() + ": " + cause.getMessage();
    }
}
