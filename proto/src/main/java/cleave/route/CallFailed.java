package cleave.route;

/** A call that got no answer. Immutable. */
public final class CallFailed extends Exception {
    private static final long serialVersionUID = 1;

    /** What may have become of the call at the other side. */
    public enum Fate {
        /** Nothing of it has left, and nothing will: it was not executed. */
        NOT_SENT,
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
