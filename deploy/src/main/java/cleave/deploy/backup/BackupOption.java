package cleave.deploy.backup;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that select the backup to read. Confined to the command's thread. */
final class BackupOption {
    @Parameters(index = "0", paramLabel = "FROM", description = "the folder of the backups; or file:/some/folder")
    private String from = "";

    @Option(names = "--number", paramLabel = "N", description = "the backup (default: the newest)")
    private @Nullable Long number;

    /** The folder, to be closed. */
    BackupFolder open() {
        return BackupFolder.toRead(path());
    }

    private Path path() {
        return BackupCommand.folder(from);
    }

    /** Ends the command if it is missing or damaged. */
    BackupIndex index(BackupFolder folder) {
        return folder.index(folder.choose(number));
    }
}
