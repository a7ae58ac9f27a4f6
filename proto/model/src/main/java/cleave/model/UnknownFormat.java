package cleave.model;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a codec for bytes that are not damaged, but that another version of Cleave wrote in a format which this one
 * cannot read. Nothing that depends on them may continue without them: a replica halts, a node does not start, a range
 * is opened elsewhere.
 */
public final class UnknownFormat extends Damaged {
    private static final long serialVersionUID = 1;

    /** @param what the data that was read, and the version of it that was found */
    public UnknownFormat(String what, String known) {
        super(what + "; this version of Cleave knows " + known
                + ". Nothing is damaged: start the version that wrote it, or a newer one");
    }

    private UnknownFormat(String message) {
        super(message);
    }

    /** The failure itself if it is of this kind, or else its cause that is; null if there is none. */
    public static @Nullable UnknownFormat in(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownFormat unknown) {
                return unknown;
            }
        }
        return null;
    }

    /** The same failure, with the place where it was found. */
    public static Damaged at(String place, Damaged found) {
        String message = place + ": " + found.getMessage();
        return found instanceof UnknownFormat ? new UnknownFormat(message) : new Damaged(message, found);
    }
}
