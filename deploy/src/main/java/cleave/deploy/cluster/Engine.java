package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.NodeId.Role;
import cleave.deploy.engine.EngineDisk;
import cleave.deploy.engine.EngineTls;
import cleave.deploy.engine.ZooKeeperProbe;
import cleave.deploy.terminal.Wait;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The BookKeeper of a local cluster: ZooKeeper, bookies and autorecovery, from how they start first to when one is ready. Confined to
 * one thread.
 *
 * <p>Invariant: ZooKeeper's metadata and the bookies' disks belong together. Metadata is made once; where either part is lost as a
 * whole, nothing is started.
 */
public final class Engine {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration UNREGISTER_PATIENCE = Duration.ofSeconds(10);
    /** Without it a ZooKeeper server takes a folder that was emptied for the empty tree, and votes for that. */
    private static final String NO_EMPTY_TREE = "-Dzookeeper.db.autocreate=false";

    private static final String READY = "ready";
    private static final String FORMATTED = "bookkeeper-formatted";
    private static final String BOOKIES = EngineSettings.LEDGERS + "/available/";
    private static final String READ_ONLY = BOOKIES + "readonly/";
    private static final String LISTED = "ListLedgersCommand log entry";
    private static final String AUDITORS = EngineSettings.LEDGERS + "/underreplication/auditorelection/";

    private final Layout layout;
    private final @Nullable EngineTls tls;
    private final EngineSettings settings;
    private final ZooKeeperProbe zookeeper;

    /** An engine with TLS if the cluster's own processes have it. */
    public Engine(Layout layout) {
        this.layout = layout;
        this.tls = tls(layout);
        this.settings = new EngineSettings(layout, tls);
        this.zookeeper = new ZooKeeperProbe(layout.addresses(Role.ZOOKEEPER), sockets());
    }

    /** Null if the cluster's processes talk in the clear. */
    static @Nullable EngineTls tls(Layout layout) {
        if (!Files.exists(NodeSettings.file(layout, layout.nodes(Role.MASTER).get(0)))) {
            return null;
        }
        Path folder = NodeSettings.tls(layout, PeerRole.DFS);
        return folder == null ? null : EngineTls.of(folder, layout.dir());
    }

    /** Sockets with the certificates as they are now; writes them for ZooKeeper, too. */
    private @Nullable SSLSocketFactory sockets() {
        if (tls == null) {
            return null;
        }
        try (Transport transport = tls.transport()) {
            tls.write(transport);
            return EngineTls.sockets(transport);
        }
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
        start(Role.ZOOKEEPER, nodes);
        if (!isFormatted()) {
            format(jvm);
        }
        start(Role.BOOKIE, nodes);
        start(Role.AUTORECOVERY, nodes); // It ends where no bookie has ever registered.
        remember();
    }

    private void start(Role role, Nodes nodes) {
        List<NodeId> all = layout.nodes(role);
        all.forEach(nodes::start);
        nodes.awaitReady(all);
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
        EngineTool.Outcome made = tool(jvm).shell("initnewcluster");
        if (made.status() != 0 && tool(jvm).shell("whatisinstanceid").status() != 0) {
            throw CommandFailure.failed("ZooKeeper could not be prepared for BookKeeper:\n" + made.lastLines());
        }
    }

    private EngineTool tool(Jvm jvm) {
        return new EngineTool(layout, settings, ofBookKeeper(jvm, Role.AUTORECOVERY));
    }

    /** Writes the settings that a node reads at its start; answers the program that it runs. The node's process must not be alive. */
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
            case DFS, MASTER, SERVER, FRONT_END, BOARD -> throw new IllegalArgumentException(node.toString());
        };
        Jvm own = ofBookKeeper(jvm, node.role());
        return new Launch(node.role() == Role.ZOOKEEPER && isFormatted() ? own.with(NO_EMPTY_TREE) : own, command);
    }

    private Jvm ofBookKeeper(Jvm jvm, Role role) {
        Jvm own = jvm.ofBookKeeper(role);
        return tls == null
                ? own
                : own.with(tls.ofClient().entrySet().stream()
                        .map(property -> "-D" + property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new));
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

    private EngineDisk disk(NodeId node) {
        return EngineDisk.ofBookie(List.of(settings.data(node)));
    }

    /**
     * Removes what a bookie's dead process left in ZooKeeper. Otherwise only the timeout of its session would show its end, and until then
     * others would look for the old disk where the next process listens, maybe with an empty one.
     */
    private void unregister(NodeId node, Jvm jvm) {
        String servers = String.join(",", layout.addresses(Role.ZOOKEEPER));
        if (!Wait.until(() -> zookeeper.ephemerals().isPresent(), UNREGISTER_PATIENCE, PAUSE)) {
            throw CommandFailure.failed("a bookie cannot start without ZooKeeper, and none answers at " + servers);
        }
        for (String path : registrations(node).orElse(List.of())) {
            tool(jvm).run("org.apache.zookeeper.ZooKeeperMain", "-server", servers, "delete", path);
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
                        .filter(path -> Stream.of(BOOKIES, READ_ONLY)
                                .anyMatch(folder -> path.startsWith(folder)
                                        && EngineDisk.isNamed(path.substring(folder.length()), node.toString())))
                        .toList());
    }

    /** {@code ready}, or what a node lacks. */
    public String ask(NodeId node) {
        return switch (node.role()) {
            case ZOOKEEPER -> zookeeper.state(layout.address(node, "port"));
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
                                ? READY
                                : "it is not registered in ZooKeeper")
                        .orElse("ZooKeeper does not answer");
            case DFS, MASTER, SERVER, FRONT_END, BOARD -> throw new IllegalArgumentException(node.toString());
        };
    }

    /** True if this ZooKeeper server leads, or is the only one. */
    public boolean leads(NodeId node) {
        return zookeeper.leads(layout.address(node, "port"));
    }

    /**
     * Destroys a bookie's data; at its next start it has an empty disk, of another id. Its process must not be alive.
     *
     * @throws CommandFailure if the last copy of some data may be on it: if a bookie is down, or the copies of a lost one are not made yet
     */
    public void wipe(NodeId node, Jvm jvm) {
        for (NodeId other : layout.nodes(Role.BOOKIE)) {
            String answer = other.equals(node) ? READY : ask(other);
            if (!answer.equals(READY)) {
                throw refused(node, other + " may be needed in its place, but " + answer);
            }
        }
        Map<String, Integer> lost = lostDisks(jvm);
        if (!lost.isEmpty()) {
            throw refused(
                    node,
                    "autorecovery has still to copy what was on disks that are gone: "
                            + lost.entrySet().stream()
                                    .map(disk -> disk.getValue() + " ledgers of " + disk.getKey())
                                    .collect(Collectors.joining(", ")));
        }
        destroy(node);
    }

    private static CommandFailure refused(NodeId node, String why) {
        return CommandFailure.failed("the disk of " + node + " may hold the last copy of something: " + why);
    }

    /** Wipes as {@link #wipe} does, even if data is lost by that. */
    public void destroy(NodeId node) {
        EngineTool.remove(settings.data(node));
    }

    /**
     * The disks that no bookie has any more, but that ledgers name for a copy, with the number of these ledgers. There are none once
     * autorecovery has copied their data.
     */
    public Map<String, Integer> lostDisks(Jvm jvm) {
        EngineTool.Outcome listed = tool(jvm).shell("listledgers", "-meta");
        if (listed.status() != 0) {
            throw CommandFailure.failed("BookKeeper's ledgers could not be listed:\n" + listed.lastLines());
        }
        if (listed.log().stream()
                .anyMatch(line ->
                        line.contains(LISTED) && EngineTool.bookiesIn(line).isEmpty())) {
            throw CommandFailure.failed("BookKeeper's list of ledgers cannot be understood:\n" + listed.lastLines());
        }
        Set<String> present = layout.nodes(Role.BOOKIE).stream()
                .flatMap(node -> disk(node).id().stream())
                .collect(Collectors.toSet());
        Map<String, Integer> lost = new TreeMap<>();
        for (String line : listed.log()) {
            Set<String> named = EngineTool.bookiesIn(line);
            named.removeAll(present);
            named.forEach(disk -> lost.merge(disk, 1, Integer::sum));
        }
        return lost;
    }

    private String isRegistered(NodeId node, List<String> ephemerals) {
        Optional<String> id = disk(node).id();
        if (id.isEmpty()) {
            return "its disk is empty";
        }
        if (ephemerals.contains(BOOKIES + id.get())) {
            return READY;
        }
        return ephemerals.contains(READ_ONLY + id.get())
                ? "it takes no more data: its disk is full, or failing; see its log"
                : "it is not registered in ZooKeeper";
    }
}
