package cleave.deploy.access;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code cluster-id} in the folder of a standalone or cluster: that its cluster was founded, and under which id. Stateless. Only
 * where it is missing a start founds a cluster; so masters whose data is lost are noticed, and found none.
 */
public final class FoundedFile {
    static final String NAME = "cluster-id";

    private FoundedFile() {}

    public static boolean isIn(Path folder) {
        return Files.exists(folder.resolve(NAME));
    }

    public static void write(Path folder, String cluster) {
        try {
            PrivateFiles.write(folder.resolve(NAME), cluster + "\n");
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write " + folder.resolve(NAME), failed);
        }
    }

    /** The failure of a founding that was refused. */
    public static CommandFailure refused(String message) {
        return CommandFailure.failed("no cluster was founded: " + message);
    }
}
