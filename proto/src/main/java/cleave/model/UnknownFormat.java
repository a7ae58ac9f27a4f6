package cleave.model;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a codec to bytes that another version of Cleave may have written rightly: not damaged, but not to be read by this
 * one. Whatever depends on them must not go on without them: a replica halts, a node does not start, a range is opened elsewhere.
 */
public final class UnknownFormat extends Damaged {
    private static final long serialVersionUID = 1;

    /** @param what was read, and which version of it was found */
    public UnknownFormat(String what, String known) {
        super(what + "; this version of Cleave knows " + known
                + ". Nothing is damaged: start the version that wrote it, or a newer one");
    }

    private UnknownFormat(String message) {
        super(message);
    }

    /** The one that a failure was, or was caused by; null if none. */
    public static @Nullable UnknownFormat in(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownFormat unknown) {
                return unknown;
            }
        }
        return null;
    }

    /** Damage, or an unknown format, of what was found there. */
    public static Damaged at(String place, Damaged found) {
        String message = place + ": " + found.getMessage();
        return found instanceof UnknownFormat ? new UnknownFormat(message) : new Damaged(message, found);
    }
}
