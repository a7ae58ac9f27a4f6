package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
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
            "Copies what the cluster stores to a folder. Every write that was acknowledged before the command began is in the"
                    + " backup, and each range is in it as of one moment. The cluster keeps serving; the backup uses no server.",
            "",
            "When it is run again with the same folder, it makes the next backup and copies only what is new. What it finds in the"
                    + " folder is read and compared with its checksum first. If it is interrupted, run it again. One folder holds backups of"
                    + " one cluster on one DFS, of which the newest are kept: after cleave dfs copy, give another folder.",
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave backup /backups/c --masters m1:10100,m2:10100 --dfs dfs:d1:10300 --tls /etc/cleave/admin",
            "  cleave backup verify /backups/c",
            "  cleave restore /backups/c --masters n1:10100 --dfs dfs:e1:10300 --tls /etc/cleave/admin"
        })
public final class BackupCommand extends TerminalCommand implements Callable<Integer> {
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:");

    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(
            index = "0",
            paramLabel = "TO",
            arity = "0..1",
            description =
                    "the folder of the backups, or file:/some/folder; there are no other schemes: mount other storage, or"
                            + " copy the folder there afterwards")
    private @Nullable String to;

    @Option(
            names = "--keep",
            paramLabel = "N",
            description = "backups to keep in the folder, the new one included (default: 7)")
    private int keep = 7;

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (to == null) {
            throw new ParameterException(line(), "say where to: cleave backup TO");
        }
        if (keep < 1) {
            throw CommandFailure.usage("--keep is " + keep + " but must be 1 or more");
        }
        Path path = folder(to);
        try (ClusterOption.Connected connected = cluster.connect();
                BackupFolder folder = BackupFolder.toWrite(path, connected.id(), connected.dfsId())) {
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
            throw BackupFolder.failure(folder.path(), failed);
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
            throw BackupFolder.failure(folder.path(), failed);
        }
    }

    /** A folder, or the URI of one on this machine. */
    static Path folder(String text) {
        if (!text.isEmpty() && !SCHEME.matcher(text).lookingAt()) {
            return Path.of(text);
        }
        try {
            URI uri = new URI(text);
            String host = uri.getAuthority();
            boolean isHere = host == null || host.equals("localhost");
            if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw neither(text); // URI.getPath() would name another folder.
            }
            if ("file".equalsIgnoreCase(uri.getScheme()) && isHere && uri.getPath() != null) {
                return Path.of(uri.getPath());
            }
        } catch (URISyntaxException | InvalidPathException wrong) {
            throw neither(text);
        }
        throw neither(text);
    }

    private static CommandFailure neither(String text) {
        return CommandFailure.usage("'" + text
                + "' is neither a folder nor file:/some/folder, the only scheme there is. After file: a space is"
                + " written %20, # %23, ? %3F and % %25; a plain folder is given as it is."
                + " For other storage, mount it, or copy the folder there afterwards; a folder with a colon in its"
                + " name is written ./a:b");
    }
}
