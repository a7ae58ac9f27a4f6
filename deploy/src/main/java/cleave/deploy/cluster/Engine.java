package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.NodeId.Role;
import cleave.deploy.terminal.Wait;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The BookKeeper of a local cluster: ZooKeeper, bookies and autorecovery, from how they start first to when one is ready. Confined to
 * one thread.
 *
 * <p>Invariant: ZooKeeper's metadata and the bookies' disks belong together. Metadata is made once; where either part is lost as a
 * whole, nothing is started.
 */
public final class Engine {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration TOOL_PATIENCE = Duration.ofSeconds(60);
    private static final Duration UNREGISTER_PATIENCE = Duration.ofSeconds(10);
    private static final String FORMATTED = "bookkeeper-formatted";
    private static final String BOOKIES = EngineSettings.LEDGERS + "/available/";
    private static final String READ_ONLY = BOOKIES + "readonly/";
    private static final String AUDITORS = EngineSettings.LEDGERS + "/underreplication/auditorelection/";

    private final Layout layout;
    private final EngineSettings settings;
    private final ZooKeeperProbe zookeeper;

    public Engine(Layout layout) {
        this.layout = layout;
        this.settings = new EngineSettings(layout);
        this.zookeeper = new ZooKeeperProbe(layout.addresses(Role.ZOOKEEPER));
    }

    /** Starts the processes, and waits until they are ready. */
    public interface Nodes {
        void start(NodeId node);

        /** Returns when all of them are ready; throws if that takes too long. */
        void awaitReady(List<NodeId> nodes);
    }

    /** The setting {@code dfs} of roles that keep their files here. */
    static String uri(Layout layout) {
        return "bookkeeper://" + String.join(",", layout.addresses(Role.ZOOKEEPER)) + "/cleave";
    }

    /** Starts all of it, in order; returns when it is ready. */
    public void start(Jvm jvm, Nodes nodes) {
        List<NodeId> metadata = layout.nodes(Role.ZOOKEEPER);
        metadata.forEach(nodes::start);
        nodes.awaitReady(metadata);
        if (!isFormatted()) {
            format(jvm);
        }
        List<NodeId> rest = Stream.concat(layout.nodes(Role.BOOKIE).stream(), layout.nodes(Role.AUTORECOVERY).stream())
                .toList();
        rest.forEach(nodes::start);
        nodes.awaitReady(rest);
        remember();
    }

    private boolean isFormatted() {
        return Files.exists(layout.dir().resolve(FORMATTED));
    }

    private void remember() {
        try {
            PrivateFiles.write(
                    layout.dir().resolve(FORMATTED), "ZooKeeper and the bookies hold what belongs together.\n");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A start that was cut short may have done it before. */
    private void format(Jvm jvm) {
        if (shell(jvm, "initnewcluster") != 0 && shell(jvm, "whatisinstanceid") != 0) {
            throw CommandFailure.failed("ZooKeeper could not be prepared for BookKeeper:\n" + tool().lastLines(20));
        }
    }

    private int shell(Jvm jvm, String... words) {
        Path settingsOfClient = settings.writeClient(toolFolder());
        List<String> command = new ArrayList<>(List.of(
                "org.apache.bookkeeper.bookie.BookieShell",
                "-conf",
                settingsOfClient.getFileName().toString()));
        command.addAll(List.of(words));
        return run(jvm, command);
    }

    private Path toolFolder() {
        return layout.dir().resolve("bookkeeper-tool");
    }

    private NodeProcess tool() {
        return new NodeProcess("BookKeeper's tool", toolFolder());
    }

    /** Runs a program to its end and returns its status; the tool's log then holds what this one wrote, and nothing else. */
    private int run(Jvm jvm, List<String> command) {
        try {
            Files.deleteIfExists(tool().log());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Process process =
                tool().start(new Launch(jvm.ofBookKeeper(Role.AUTORECOVERY).attached(), command));
        try {
            if (process.waitFor(TOOL_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            process.destroyForcibly();
            throw CommandFailure.failed(String.join(" ", command) + " did not end within " + TOOL_PATIENCE.toSeconds()
                    + " s; its log is " + tool().log());
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
    }

    /** Writes what a node reads at its start; what it runs. The node's process must not be alive. */
    public Launch launch(NodeId node, Jvm jvm) {
        refuseLoss();
        if (node.role() == Role.BOOKIE) {
            unregister(node, jvm);
        }
        String file = settings.write(node).getFileName().toString();
        List<String> command = switch (node.role()) {
            case ZOOKEEPER -> List.of("org.apache.zookeeper.server.quorum.QuorumPeerMain", file);
            case BOOKIE -> List.of("org.apache.bookkeeper.server.Main", "--conf", file);
            case AUTORECOVERY -> List.of("org.apache.bookkeeper.replication.AutoRecoveryMain", "--conf", file);
            case DFS, MASTER, SERVER, FRONT_END -> throw new IllegalArgumentException(node.toString());
        };
        return new Launch(jvm.ofBookKeeper(node.role()), command);
    }

    private void refuseLoss() {
        if (!isFormatted()) {
            return;
        }
        List<NodeId> emptied = layout.nodes(Role.ZOOKEEPER).stream()
                .filter(node -> !Files.isDirectory(settings.data(node).resolve("version-2")))
                .toList();
        if (2 * emptied.size() >= layout.nodes(Role.ZOOKEEPER).size()) {
            throw CommandFailure.failed("ZooKeeper's data is missing in " + folders(emptied)
                    + ": it names the files of this cluster and says which bookies hold them, and without it nobody can read"
                    + " what is on the bookies. Restore it from a copy; or give the cluster up, and use another --dir");
        }
        List<NodeId> bookies = layout.nodes(Role.BOOKIE);
        if (bookies.stream().noneMatch(node -> disk(node).id().isPresent())) {
            throw CommandFailure.failed("the data of all bookies is missing in " + folders(bookies)
                    + ": ZooKeeper still names files, but what was in them is lost. Restore the disks; or give the cluster"
                    + " up, and use another --dir");
        }
    }

    private String folders(List<NodeId> nodes) {
        return String.join(
                ", ", nodes.stream().map(node -> settings.data(node).toString()).toList());
    }

    private BookieDisk disk(NodeId node) {
        return new BookieDisk(settings.data(node));
    }

    /**
     * Removes what a bookie's dead process left in ZooKeeper: its end would be noticed by the timeout of its session alone, and until
     * then others would look for the old disk where the next process listens, maybe with an empty one.
     */
    private void unregister(NodeId node, Jvm jvm) {
        String servers = String.join(",", layout.addresses(Role.ZOOKEEPER));
        if (!Wait.until(() -> zookeeper.ephemerals().isPresent(), UNREGISTER_PATIENCE, PAUSE)) {
            throw CommandFailure.failed("a bookie cannot start without ZooKeeper, and none answers at " + servers);
        }
        for (String path : registrations(node).orElse(List.of())) {
            run(jvm, List.of("org.apache.zookeeper.ZooKeeperMain", "-server", servers, "delete", path));
        }
        if (!Wait.until(() -> registrations(node).filter(List::isEmpty).isPresent(), UNREGISTER_PATIENCE, PAUSE)) {
            throw CommandFailure.failed(node + " is still registered in ZooKeeper although its process has ended;"
                    + " try again in " + EngineSettings.SESSION_SECONDS + " s");
        }
    }

    /** Empty if ZooKeeper does not answer now. */
    private Optional<List<String>> registrations(NodeId node) {
        return zookeeper
                .ephemerals()
                .map(all -> all.stream()
                        .filter(path ->
                                Stream.of(BOOKIES, READ_ONLY).anyMatch(prefix -> path.startsWith(prefix + node + "-")))
                        .toList());
    }

    /** {@code ready}, or what a node lacks. */
    public String ask(NodeId node) {
        return switch (node.role()) {
            case ZOOKEEPER -> ZooKeeperProbe.ask(layout.address(node, "port"));
            case BOOKIE ->
                ZooKeeperProbe.accepts(layout.address(node, "port"))
                        ? zookeeper
                                .ephemerals()
                                .map(all -> isRegistered(node, all))
                                .orElse("ZooKeeper does not answer")
                        : "its port does not accept connections";
            case AUTORECOVERY ->
                zookeeper
                        .ephemerals()
                        .map(all -> all.stream().anyMatch(path -> path.startsWith(AUDITORS))
                                ? "ready"
                                : "it is not registered in ZooKeeper")
                        .orElse("ZooKeeper does not answer");
            case DFS, MASTER, SERVER, FRONT_END -> throw new IllegalArgumentException(node.toString());
        };
    }

    /** True if this ZooKeeper server leads, or is the only one. */
    public boolean leads(NodeId node) {
        return ZooKeeperProbe.leads(layout.address(node, "port"));
    }

    /** The id of the disk that a bookie has now. */
    public String diskOf(NodeId node) {
        return disk(node).id().orElseThrow(() -> new IllegalStateException(node + " has an empty disk"));
    }

    /** True if a ledger has, or should have, a copy on the disk of this id. */
    public boolean isUsed(String disk, Jvm jvm) {
        if (shell(jvm, "listledgers", "-bookieid", disk) != 0) {
            throw CommandFailure.failed("BookKeeper's ledgers could not be listed:\n" + tool().lastLines(20));
        }
        try (Stream<String> lines = Files.lines(tool().log())) {
            return lines.anyMatch(line -> line.contains("ListLedgersCommand log entry"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private String isRegistered(NodeId node, List<String> ephemerals) {
        Optional<String> id = disk(node).id();
        if (id.isEmpty()) {
            return "its disk is empty";
        }
        if (ephemerals.contains(BOOKIES + id.get())) {
            return "ready";
        }
        return ephemerals.contains(READ_ONLY + id.get())
                ? "it takes no more data: its disk is full, or failing; see its log"
                : "it is not registered in ZooKeeper";
    }
}
