package cleave.chaos.lab;

import cleave.chaos.command.RecordOption;
import cleave.chaos.command.RunFolder;
import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.load.TargetOption;
import cleave.chaos.process.Cluster;
import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.cluster.DfsOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of all runs of labs: where they run, and what they leave. Confined to its command. */
final class LabOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec command;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "run on the development account of this endpoint, such as http://127.0.0.1:10002")
    private @Nullable String endpoint;

    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description =
                    "run on the account that the connection string in this file names (default: environment variable "
                            + TargetOption.VARIABLE + "; without either, labs run on processes that they start)")
    private @Nullable Path connectionFile;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "run on the standalone or cluster in this folder; labs about servers need a cluster of three servers")
    private @Nullable Path dir;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "the folder of the pages and pictures (default: cleave-labs)")
    private Path out = Path.of("cleave-labs");

    @Option(names = "--small", description = "run the smallest form in which the claims still hold, as the tests do")
    private boolean small;

    @Option(names = "--markdown", description = "also write the pages as they are in docs/labs")
    private boolean markdown;

    @Option(
            names = "--blobs",
            paramLabel = "SERVICE",
            description = {
                "where labs put blobs: folder, or azurite, whose blob service npm installs below the folder of --out"
                        + " (default: folder)"
            })
    private BlobStores.Service blobs = BlobStores.Service.FOLDER;

    @Mixin
    private final DfsOption dfs = new DfsOption();

    private final BufferedReader typed = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));

    /**
     * Runs labs one after the other.
     *
     * @param predicted the number of the choice that the reader made for the only one; null: they are asked on a terminal
     * @param record of the cluster of the only one
     */
    List<Report> run(List<Lab> labs, @Nullable Integer predicted, RecordOption record) throws IOException {
        int given = predicted == null
                ? Prediction.NONE
                : Prediction.given(labs.get(0).card(), predicted);
        return onSystems(labs, record, (lab, running) -> {
            print(TextReport.question(lab.card()) + "\n");
            int prediction = predicted == null ? asked(lab.card()) : given;
            Report report = running.get();
            print(TextReport.seen(report) + "\n" + TextReport.explanation(lab.card(), prediction));
            print("\nThe page is " + write(report) + "\n" + record.told() + "\n");
        });
    }

    /** Runs labs without questions, and writes an index. */
    List<Report> runAll(List<Lab> labs) throws IOException {
        List<Report> reports = onSystems(labs, new RecordOption(), (lab, running) -> {
            print(lab + ": " + lab.card().title() + "\n\n");
            Report report = running.get();
            print(TextReport.seen(report) + "\n");
            write(report);
        });
        print(TextReport.summary(reports) + "\nAll pictures: " + index(reports) + "\n");
        return reports;
    }

    private Path index(List<Report> reports) {
        try {
            return new Folder(out).writeIndex(reports);
        } catch (IOException failed) {
            throw cannotWrite(failed);
        }
    }

    private Path write(Report report) {
        try {
            Folder folder = new Folder(out);
            Path page = folder.write(report);
            if (markdown) {
                folder.writeMarkdown(report);
            }
            return page;
        } catch (IOException failed) {
            throw cannotWrite(failed);
        }
    }

    /** Otherwise a lab may run for minutes, and its page is lost. */
    private void requireWritable() {
        try {
            Files.delete(Files.createTempFile(Files.createDirectories(out), "lab", ".html"));
        } catch (FileAlreadyExistsException file) {
            throw CommandFailure.usage("--out " + out + " is no folder");
        } catch (IOException refused) {
            throw cannotWrite(refused);
        }
    }

    private CommandFailure cannotWrite(IOException why) {
        return CommandFailure.failed("no page can be written in " + out + " (--out): " + why);
    }

    private Report run(Lab lab, StartedSystems systems, BlobStores stores, RecordOption record) {
        LabSystem system = system(lab.card(), systems);
        try {
            record(lab.card(), system, record);
            return LabRun.run(lab, system, stores, small, this::progress);
        } finally {
            systems.release(system);
        }
    }

    private static void record(LabCard card, LabSystem system, RecordOption record) {
        Cluster cluster = system.cluster();
        if (cluster != null) {
            record.begin(cluster);
        } else if (record.isGiven()) {
            throw CommandFailure.usage("the lab " + card.name()
                    + " starts no cluster that could be recorded; 'cleave board --record FILE' records any other");
        }
    }

    private static LabSystem system(LabCard card, StartedSystems systems) {
        try {
            return systems.of(card);
        } catch (IllegalStateException | UncheckedIOException notStarted) {
            throw CommandFailure.failed(
                    "what the lab " + card.name() + " runs on did not start: " + Text.message(notStarted));
        }
    }

    /** Tells of a lab, and runs it meanwhile. */
    private interface Telling {
        void of(Lab lab, Supplier<Report> running) throws IOException;
    }

    /** Data and logs of processes that were started stay if anything fails. */
    private List<Report> onSystems(List<Lab> labs, RecordOption record, Telling telling) throws IOException {
        LabSystem given = given();
        if (given != null && given.admin() == null) {
            refuseClusterLabs(labs);
        }
        requireWritable();
        AdminClient admin = given == null ? null : given.admin();
        List<Report> reports = new ArrayList<>();
        try (RunFolder folder = RunFolder.temporary("cleave-lab-", this::progress)) {
            try (StartedSystems systems = new StartedSystems(folder.path(), dfs.plan(), given, this::progress);
                    BlobStores stores = stores(folder.path().resolve("blobs"))) {
                for (Lab lab : labs) {
                    telling.of(lab, () -> {
                        Report report = run(lab, systems, stores, record);
                        reports.add(report);
                        return report;
                    });
                }
            }
            if (reports.stream().allMatch(Report::isRight)) {
                folder.succeeded();
            }
        } finally {
            if (admin != null) {
                admin.close();
            }
        }
        return reports;
    }

    private BlobStores stores(Path folder) {
        return switch (blobs) {
            case FOLDER -> BlobStores.inFolder(folder);
            case AZURITE -> BlobStores.inAzurite(folder, out.resolve("azurite"), this::progress);
        };
    }

    private static void refuseClusterLabs(List<Lab> labs) {
        List<String> refused = labs.stream()
                .map(Lab::card)
                .filter(card -> card.needs() == Needs.CLUSTER)
                .map(LabCard::name)
                .toList();
        if (!refused.isEmpty()) {
            throw CommandFailure.usage("the masters must be known for " + String.join(", ", refused)
                    + ": name the folder of a cluster by --dir, or leave the endpoint out (and " + TargetOption.VARIABLE
                    + " unset), and a cluster is started");
        }
    }

    private @Nullable LabSystem given() {
        int ways = (endpoint == null ? 0 : 1) + (connectionFile == null ? 0 : 1) + (dir == null ? 0 : 1);
        if (ways > 1) {
            throw CommandFailure.usage("--endpoint, --connection-file and --dir exclude each other");
        }
        if (endpoint != null) {
            return LabSystem.of(TableAccount.development(endpoint));
        }
        if (connectionFile != null) {
            return LabSystem.of(TargetOption.ofFile(connectionFile));
        }
        if (dir != null) {
            return in(dir);
        }
        Endpoint ofEnvironment = TargetOption.ofEnvironment();
        return ofEnvironment == null ? null : LabSystem.of(ofEnvironment);
    }

    private static LabSystem in(Path folder) {
        Deployment deployment = Deployment.load(folder);
        return new LabSystem(deployment.tables(), AdminClient.of(deployment.masters(), deployment.tls()), null, false);
    }

    private int asked(LabCard card) throws IOException {
        return Boolean.getBoolean("cleave.terminal")
                ? Prediction.asked(card, typed, command.commandLine().getOut())
                : Prediction.NONE;
    }

    private void progress(String line) {
        PrintWriter err = command.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void print(String text) {
        PrintWriter to = command.commandLine().getOut();
        to.print(text);
        to.flush();
    }
}
