package cleave.frontend.http;

/** Something that a client has begun to send, and since when. Confined to the connection's loop. */
final class Unfinished {
    private boolean begun;
    private long sinceNanos;

    /** Its first bytes came; those after them change nothing. */
    void begins(long nowNanos) {
        if (!begun) {
            begun = true;
            sinceNanos = nowNanos;
        }
    }

    void ends() {
        begun = false;
    }

    /** The time begins anew, for what was not read meanwhile. */
    void restarts(long nowNanos) {
        sinceNanos = nowNanos;
    }

    boolean isOverdue(long nanosMax, long nowNanos) {
        return begun && nowNanos - sinceNanos > nanosMax;
    }
}
