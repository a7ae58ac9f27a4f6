package cleave.deploy.access;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a standalone or a local cluster: what it may hold, and how a process takes it. A process takes an empty folder
 * or one of its kind, if no other process uses it. Any other folder is refused before anything in it is touched. Immutable.
 *
 * @param kind for people
 * @param option that names the folder
 * @param entries the names of all that it makes in its folder
 */
public record DataFolder(String kind, String option, Pattern entries) {
    /** The file that marks the folder of a local cluster. */
    public static final String CLUSTER = "cluster.properties";

    /** Names of the lock, of files that are being written, and of entries of a mounted disk. */
    private static final Pattern OF_ALL = Pattern.compile(FolderLock.FILE + "|lost\\+found|" + FoundedFile.NAME
            + "|\\.?" + Deployment.FILE + ".*|\\.accounts.*\\.tmp");

    /** Takes the folder for this process, which makes it if need be; CommandFailure if it cannot be had. */
    public FolderLock take(Path folder) {
        try {
            refuseOther(folder);
            FolderLock lock = FolderLock.take(folder);
            boolean isTaken = false;
            try {
                refuseOther(folder); // Another process may have had it in between.
                isTaken = true;
                return lock;
            } finally {
                if (!isTaken) {
                    lock.close();
                }
            }
        } catch (FolderLock.Taken taken) {
            throw refused(taken.getMessage() + "; end it, or");
        } catch (IOException failed) {
            throw refused("the folder cannot be used: " + FileProblem.text(failed) + ";");
        }
    }

    private void refuseOther(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        String owner = ownerOf(folder);
        if (owner != null && !owner.equals(kind)) {
            throw refused(
                    "the folder " + folder + " is that of a " + owner + "; use it with 'cleave " + owner + "', or");
        }
        Optional<String> stranger = owner == null ? stranger(folder) : Optional.empty();
        if (stranger.isPresent()) {
            throw refused("the folder " + folder + " holds other things, such as '" + stranger.get() + "';");
        }
    }

    private Optional<String> stranger(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !entries.matcher(name).matches()
                            && !OF_ALL.matcher(name).matches())
                    .min(Comparator.naturalOrder());
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private CommandFailure refused(String what) {
        return CommandFailure.taken(what + " give another by " + option + ". Nothing was changed");
    }

    /** Refuses the folder of a whole standalone or cluster as that of a single role. */
    public static void refuseWhole(Path folder, String setting) {
        String owner = ownerOf(folder);
        if (owner != null) {
            throw CommandFailure.taken(setting + ": the folder " + folder + " is that of a " + owner
                    + "; give the role a folder of its own. Nothing was changed");
        }
    }

    /** {@code standalone} or {@code cluster}; null if neither was founded there. */
    private static @Nullable String ownerOf(Path folder) {
        if (Files.exists(folder.resolve(CLUSTER))) {
            return "cluster";
        }
        return FoundedFile.isIn(folder) ? "standalone" : null;
    }
}
