package cleave.deploy.backup;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.access.Tables;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.dfs.DfsException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave restore}. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        header = "restore a backup into an empty cluster, or one table of it into a running one",
        customSynopsis = {
            "cleave restore FROM [--masters ADDRESSES --dfs URI [--tls DIR] | --dir DIR] [--number N]",
            "cleave restore FROM --table ACCOUNT/NAME [--as NAME] [--connection-file FILE | --dir DIR] [--number N]"
        },
        description = {
            "The cluster must have been founded and must never have had a table. It may have any number of servers, and keeps its own id."
                    + " The backup is checked as it is copied, and becomes the cluster's content by one command at the end: until then"
                    + " the cluster is empty, and an interrupted restore can be run again.",
            "",
            "With --table, one table is restored into a cluster that serves, beside its other tables and their load. The backup is read here, without"
                    + " that cluster, and its entities are written over the Table protocol by the account of --connection-file or --dir, to"
                    + " a table of the same name or that of --as. Names and values of properties and their types are as they were;"
                    + " Timestamps and ETags are new, and stored access policies are not restored.",
            "",
            StoreOption.CREDENTIALS,
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave restore /backups/c --masters n1:10100 --dfs dfs:e1:10200 --tls /etc/cleave/admin",
            "  cleave restore azblob://account/backups/c --masters n1:10100 --dfs dfs:e1:10200",
            "  cleave restore s3://backups/c --table shop/orders --as ordersOfMonday --connection-file shop.txt"
        })
public final class RestoreCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Mixin
    private BackupOption backup = new BackupOption();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "how long to wait until all ranges are served (default: 600)")
    private int waitSeconds = 600;

    @Option(names = "--table", paramLabel = "ACCOUNT/NAME", description = "one table alone, into a running cluster")
    private @Nullable String table;

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "with --table: the table that is written to (default: the same name)")
    private @Nullable String as;

    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description =
                    "with --table: a file with a connection string as for the SDKs, of the account that gets the table")
    private @Nullable Path connectionFile;

    @Option(
            names = "--into-existing",
            description =
                    "with --table: write into a table that has entities, too. Those with keys of the backup are replaced, others stay")
    private boolean intoExisting;

    @Option(
            names = "--scratch",
            paramLabel = "DIR",
            description =
                    "with --table: a folder with space for the table's files of one range (default: that for temporary files)")
    private Path scratch = Path.of(System.getProperty("java.io.tmpdir"));

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (waitSeconds < 0) {
            throw CommandFailure.usage("--wait is " + waitSeconds + " but must be 0 or more");
        }
        String[] names = table == null ? new String[0] : names(table);
        if (table == null && (as != null || connectionFile != null || intoExisting)) {
            throw CommandFailure.usage("--as, --connection-file and --into-existing go with --table ACCOUNT/NAME");
        }
        try (BackupFolder folder = backup.open()) {
            BackupIndex index = backup.index(folder);
            if (names.length > 0) {
                restoreTable(folder, index, names[0], names[1]);
                return ExitCode.OK;
            }
            try (ClusterOption.Connected connected = cluster.connect()) {
                restore(connected, folder, index);
                say("Backup " + index.number() + " of cluster " + index.cluster()
                        + " is restored in cluster " + connected.id() + ": "
                        + index.parts().size() + " ranges, " + Bytes.text(index.bytes()) + ".");
            }
        }
        return ExitCode.OK;
    }

    private static String[] names(String table) {
        String[] names = table.split("/", -1);
        if (names.length != 2 || names[0].isEmpty()) {
            throw CommandFailure.usage("--table is '" + table + "' but must be ACCOUNT/NAME");
        }
        TableAccount.checkTable(names[1]);
        return names;
    }

    private void restoreTable(BackupFolder folder, BackupIndex index, String account, String name) {
        if (as != null) {
            TableAccount.checkTable(as);
        }
        try (Tables tables = new Tables(target());
                TableInBackup found = TableInBackup.open(folder, index, account, name, scratch)) {
            String to = as == null ? found.name() : as;
            long written;
            long counted;
            try (Progress progress = progress()) {
                TableRestore run = new TableRestore(found, tables, to, progress);
                run.prepare(intoExisting);
                written = run.run();
                counted = run.count();
            }
            say("Table " + account + "/" + found.name() + " of backup " + index.number() + " is restored as table " + to
                    + " at " + tables.url() + ": " + written + " entities; the table has " + counted + " now."
                    + (found.policies() == 0
                            ? ""
                            : " Its stored access policies (" + found.policies()
                                    + ") are not restored: set them anew."));
            if (counted < written) {
                throw CommandFailure.failed(
                        "table " + to + " has fewer entities than were written: somebody deletes them");
            }
        } catch (IOException failed) {
            throw folder.place().failure(failed);
        }
    }

    private Endpoint target() {
        if (connectionFile != null) {
            return ConnectionFile.account(connectionFile);
        }
        Deployment deployment = cluster.deployment();
        if (deployment == null) {
            throw CommandFailure.usage(
                    "into which cluster? Give --connection-file FILE, or --dir DIR of one on this machine");
        }
        return deployment.tables();
    }

    private void restore(ClusterOption.Connected connected, BackupFolder folder, BackupIndex index) {
        try (Progress progress = progress()) {
            RestoreRun run = new RestoreRun(connected.access(), connected.files(), folder, index, progress);
            run.run();
            if (waitSeconds > 0) {
                run.awaitServed(Duration.ofSeconds(waitSeconds));
            }
        } catch (IOException failed) {
            throw folder.place().failure(failed);
        } catch (DfsException failed) {
            throw CommandFailure.failed(
                    "the DFS of the cluster: " + failed.getMessage() + ". Run the same command again; it does no harm");
        }
    }
}
