package cleave.deploy;

import cleave.model.UnknownFormat;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.net.BindException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.InvalidPathException;

/**
 * Distinguishes failures that come from outside, such as a port or folder that is taken, a disk, a network or a wrong path, from bugs.
 * Stateless. A failure that a user can cause is never a bug.
 */
public final class OutsideFailure {
    private OutsideFailure() {}

    /** A message for the person who gave the command, or the failure itself if it is a bug or has such a message already. */
    public static RuntimeException explained(RuntimeException failed) {
        boolean isOutside = false;
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof CommandFailure || cause instanceof BadSetting) {
                return (RuntimeException) cause;
            }
            if (cause instanceof BindException) {
                return CommandFailure.taken("a port is in use: " + FileProblem.whole(failed));
            }
            if (cause instanceof FolderLock.Taken) {
                return CommandFailure.taken(FileProblem.whole(failed));
            }
            if (cause instanceof OverlappingFileLockException) {
                return CommandFailure.taken("a folder is locked: " + FileProblem.whole(failed));
            }
            if (cause instanceof InvalidPathException wrong) {
                return CommandFailure.usage("this is no path of a file or folder: " + wrong.getMessage());
            }
            isOutside |= cause instanceof IOException;
        }
        return isOutside && UnknownFormat.in(failed) == null
                ? CommandFailure.failed(FileProblem.whole(failed))
                : failed;
    }
}
