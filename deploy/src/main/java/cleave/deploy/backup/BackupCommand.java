package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code cleave backup}. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        header = "back up a whole cluster while it serves",
        subcommands = VerifyCommand.class,
        customSynopsis = {
            "cleave backup TO [--masters ADDRESSES --dfs URI [--tls DIR] | --dir DIR] [--keep N]",
            "cleave backup verify FROM [--number N]"
        },
        description = {
            "Copies what the cluster stores to a folder or an object store. Every write that was acknowledged before the command began is in the"
                    + " backup, and each range is in it as of one moment. The cluster keeps serving; the backup uses no server.",
            "",
            "When it is run again with the same folder, it makes the next backup and copies only what is new. What it finds in a"
                    + " folder is read and compared with its checksum first; in an object store its length is compared, unless --reread is given."
                    + " If it is interrupted, run it again. One folder, or prefix, holds backups of one cluster on one DFS, of which the newest are"
                    + " kept: after cleave dfs copy, give another one.",
            "",
            StoreOption.CREDENTIALS,
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave backup /backups/c --masters m1:10100,m2:10100 --dfs dfs:d1:10200 --tls /etc/cleave/admin",
            "  cleave backup verify /backups/c",
            "  cleave backup s3://backups/c --endpoint https://minio:9000 --path-style --masters m1:10100 --dfs dfs:d1:10200",
            "  cleave backup azblob://account/backups/c --masters m1:10100 --dfs dfs:d1:10200",
            "  cleave restore /backups/c --masters n1:10100 --dfs dfs:e1:10200 --tls /etc/cleave/admin"
        })
public final class BackupCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(
            index = "0",
            paramLabel = "TO",
            arity = "0..1",
            description = "where the backups go: " + StoreOption.FORMS)
    private @Nullable String to;

    @Option(
            names = "--keep",
            paramLabel = "N",
            description = "backups to keep in the folder, the new one included (default: 7)")
    private int keep = 7;

    @Option(
            names = "--reread",
            description =
                    "in an object store, too, read what earlier backups have left and compare it with its checksum before it is used"
                            + " again, as is always done in a folder. Use it after 'cleave backup verify' has found damage")
    private boolean isReread;

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (to == null) {
            throw new ParameterException(line(), "say where to: cleave backup TO");
        }
        if (keep < 1) {
            throw CommandFailure.usage("--keep is " + keep + " but must be 1 or more");
        }
        try (BackupPlace place = store.place(to);
                ClusterOption.Connected connected = cluster.connect();
                BackupFolder folder = BackupFolder.toWrite(place, connected.id(), connected.dfsId(), isReread)) {
            say(run(connected, folder));
            removeOlder(folder);
        }
        return ExitCode.OK;
    }

    private String run(ClusterOption.Connected connected, BackupFolder folder) {
        try (Progress progress = progress()) {
            BackupRun run =
                    new BackupRun(connected.access(), connected.files(), folder, progress, Backups.IDLE_PASSES_MAX);
            BackupIndex index = run.run();
            folder.write(index);
            return "Backup " + index.number() + " of cluster " + index.cluster() + " is complete: "
                    + index.parts().size() + " ranges, " + Bytes.text(index.bytes()) + ", of which "
                    + Bytes.text(run.copiedBytes()) + " were copied now.";
        } catch (IOException failed) {
            throw folder.place().failure(failed);
        }
    }

    /** Failures here concern older backups only: the new one is complete and reported. */
    private void removeOlder(BackupFolder folder) {
        try {
            BackupFolder.Kept kept = folder.keep(keep);
            if (kept.removed() > 0) {
                say("Older backups that were removed, as --keep is " + keep + ": " + kept.removed() + ".");
            }
            for (String problem : kept.unreadable()) {
                err().println("Warning: an older backup cannot be restored, " + problem
                        + ". Until its index is deleted, files that no backup needs stay in the folder.");
            }
        } catch (IOException failed) {
            throw folder.place().failure(failed);
        }
    }
}
