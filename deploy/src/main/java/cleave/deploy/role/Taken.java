package cleave.deploy.role;

import cleave.deploy.CommandFailure;
import java.net.BindException;
import java.nio.channels.OverlappingFileLockException;

/** Recognises, in what a role's start threw, that a port or folder belongs to somebody else. */
public final class Taken {
    private Taken() {}

    /** What to throw on: a plain message for the person who started it, or the failure itself. */
    public static RuntimeException explained(RuntimeException failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return CommandFailure.taken("a port is in use: " + messages(failed));
            }
            if (cause instanceof OverlappingFileLockException) {
                return CommandFailure.taken("a folder is locked: " + messages(failed));
            }
        }
        return failed;
    }

    private static String messages(Throwable failed) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null && text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
        }
        return text.toString();
    }
}
