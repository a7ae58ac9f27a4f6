package cleave.deploy.role;

import cleave.deploy.CommandFailure;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.net.BindException;
import java.nio.channels.OverlappingFileLockException;

/** Distinguishes failed starts that are no bugs: a port or folder that is taken or cannot be used. */
public final class StartFailure {
    private StartFailure() {}

    /** What to throw on: a plain message for the person who started it, or the failure itself. */
    public static RuntimeException explained(RuntimeException failed) {
        boolean outside = false;
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return CommandFailure.taken("a port is in use: " + messages(failed));
            }
            if (cause instanceof OverlappingFileLockException) {
                return CommandFailure.taken("a folder is locked: " + messages(failed));
            }
            outside |= cause instanceof IOException;
        }
        return outside && UnknownFormat.in(failed) == null ? CommandFailure.failed(messages(failed)) : failed;
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
