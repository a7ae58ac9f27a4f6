package cleave.route;

/** A call without an answer. Immutable. */
public final class CallFailed extends Exception {
    private static final long serialVersionUID = 1;

    /** The possible fate of the call on the other side. */
    public enum Fate {
        /** It was not sent and will not be, or it was refused before it was executed. */
        NOT_EXECUTED,
        /** It may or may not have been executed. */
        UNKNOWN
    }

    private final Fate fate;

    public CallFailed(Fate fate, String message) {
        super(message);
        this.fate = fate;
    }

    public Fate fate() {
        return fate;
    }
}
