package cleave.deploy.backup;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that select the backup to read. Confined to the command's thread. */
final class BackupOption {
    @Parameters(index = "0", paramLabel = "FROM", description = "where the backups are: " + StoreOption.FORMS)
    private String from = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--number", paramLabel = "N", description = "the backup (default: the newest)")
    private @Nullable Long number;

    /** The backups, to be closed. */
    BackupFolder open() {
        return BackupFolder.toRead(store.place(from));
    }

    /** Ends the command if it is missing or damaged. */
    BackupIndex index(BackupFolder folder) {
        return folder.index(folder.choose(number));
    }
}
