package cleave.chaos.process;

import cleave.client.Endpoint;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.board.ClusterRecording;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.Layout;
import cleave.deploy.cluster.NodeId;
import cleave.deploy.cluster.NodeId.Role;
import cleave.deploy.cluster.NodeSettings;
import cleave.deploy.cluster.Ports;
import cleave.deploy.links.TcpProxy;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Transport;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.GroupMember;
import cleave.wire.MasterPeer;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of separate processes on this machine, laid out as {@code cleave cluster} does it. Confined to its owner; indexes count
 * from 0. Each server reaches the masters through links of its own, which can be cut: the masters have names, which each server
 * resolves to addresses of its own ({@code 127.0.2.x}), so that it goes through its links also to masters that only the map names.
 * All ports stay the same over restarts.
 */
public final class Cluster implements AutoCloseable {
    private static final String TLS_DIR = "front-end.tls-dir";
    private static final String LOOPBACK = "127.0.0.1";

    private final ClusterPlan plan;
    private final Layout layout;
    private final @Nullable BookKeeper bookKeeper;
    private final List<ChildProcess> dfsNodes;
    private final List<ChildProcess> masters;
    private final List<ChildProcess> servers;
    private final List<ChildProcess> frontEnds;
    private final List<List<TcpProxy>> links = new ArrayList<>();
    private final List<Integer> secureFrontEndPorts;
    private final AdminClient admin;
    private final Ports ports = new Ports();
    private @Nullable ClusterRecording recording;

    private Cluster(ClusterPlan plan) throws IOException {
        this.plan = plan;
        TreeMap<Role, Integer> counts = new TreeMap<>(
                Map.of(Role.MASTER, plan.masters(), Role.SERVER, plan.servers(), Role.FRONT_END, plan.frontEnds()));
        plan.dfs().putInto(counts);
        layout = new Layout(plan.folder(), LOOPBACK, counts, ports.choose(counts, 0), true);
        secureFrontEndPorts = plan.settings().containsKey(TLS_DIR)
                ? Stream.generate(ports::free).limit(plan.frontEnds()).toList()
                : List.of();
        admin = new AdminClient(layout.addresses(Role.MASTER), Transport.PLAIN, Duration.ZERO);
        Files.createDirectories(plan.folder());
        writeHosts(hosts(), LOOPBACK);
        linkServers();
        NodeSettings settings = new NodeSettings(layout, plan.folder().resolve("accounts"), plan.settings());
        bookKeeper =
                layout.dfs() == DfsKind.BOOKKEEPER ? new BookKeeper(layout, ClassArchive.jvm(plan.jvmOptions())) : null;
        dfsNodes = processes(Role.DFS, settings);
        masters = processes(Role.MASTER, settings);
        servers = processes(Role.SERVER, settings);
        frontEnds = processes(Role.FRONT_END, settings);
    }

    /** Starts nothing yet. */
    public static Cluster planned(ClusterPlan plan) {
        try {
            return new Cluster(plan);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Starts all processes and waits until each says that it is ready. */
    public static Cluster started(ClusterPlan plan, Patience patience) {
        Cluster cluster = planned(plan);
        cluster.start(patience);
        return cluster;
    }

    /** Founds the cluster, and ends the processes that this took. */
    public void found(Patience patience) {
        List<ChildProcess> needed = founders();
        startBookKeeper(patience);
        needed.forEach(ChildProcess::start);
        admin.found("", patience.limit());
        needed.forEach(ChildProcess::kill);
        ofBookKeeper().forEach(ChildProcess::kill);
    }

    private void startBookKeeper(Patience patience) {
        if (bookKeeper != null) {
            bookKeeper.start(patience);
        }
    }

    private List<ChildProcess> ofBookKeeper() {
        return bookKeeper == null ? List.of() : bookKeeper.all();
    }

    private List<ChildProcess> founders() {
        return Stream.concat(dfsNodes.stream(), masters.stream().limit(plan.founders()))
                .toList();
    }

    /** Starts all processes but masters that are to be added, and waits until each says that it is ready; closed if it fails. */
    public void start(Patience patience) {
        try {
            startBookKeeper(patience);
            founders().forEach(ChildProcess::start);
            servers.forEach(ChildProcess::start);
            frontEnds.forEach(ChildProcess::start);
            admin.found("", patience.limit());
            awaitReady(patience);
        } catch (RuntimeException failed) {
            IllegalStateException told = new IllegalStateException(logTails(), failed);
            close();
            throw told;
        }
    }

    private List<ChildProcess> processes(Role role, NodeSettings settings) {
        return layout.nodes(role).stream().map(node -> process(node, settings)).toList();
    }

    private ChildProcess process(NodeId node, NodeSettings settings) {
        Map<String, String> own = settings.of(node);
        switch (node.role()) {
            case ZOOKEEPER, BOOKIE, AUTORECOVERY, BOARD -> throw new IllegalArgumentException(node.toString());
            case DFS -> {}
            case MASTER -> own.put("master.peers", peersOf(node.number() - 1));
            case SERVER -> own.put("masters", knownMasters());
            case FRONT_END -> {
                own.put("masters", knownMasters());
                own.put("seeds", knownMasters() + "," + String.join(",", layout.addresses(Role.SERVER)));
                if (!plan.settings().containsKey("front-end.accounts")) {
                    own.remove("front-end.accounts");
                }
                if (!secureFrontEndPorts.isEmpty()) {
                    own.put("front-end.listen-tls", LOOPBACK + ":" + secureFrontEndPorts.get(node.number() - 1));
                }
            }
        }
        Path config = settings.write(node, own);
        return new ChildProcess(
                layout.folder(node),
                ClassArchive.jvm(plan.jvmOptions(), plan.classPath()).with(hostsFile(node)),
                List.of(node.role().word(), "--config", config.toString()),
                new AdminPort(port(layout.address(node, "admin"))));
    }

    private String hostsFile(NodeId node) {
        Path hosts = node.role() == Role.SERVER ? hostsOfServer(node.number() - 1) : hosts();
        return "-Djdk.net.hosts.file=" + hosts.toAbsolutePath();
    }

    /**
     * From its next start on, a process is one of this build, with more settings.
     *
     * @param settings for all roles; those of the process' role are meant
     */
    public void upgrade(ChildProcess process, Map<String, String> settings) {
        NodeId node = Stream.of(Role.values())
                .flatMap(role -> layout.nodes(role).stream())
                .filter(its -> its.toString().equals(process.name()))
                .findFirst()
                .orElseThrow();
        List<String> more = new ArrayList<>();
        settings.forEach((key, value) -> {
            if (key.startsWith(node.role().word())) {
                more.addAll(List.of("--set", key + "=" + value));
            }
        });
        process.becomes(ClassArchive.jvm(plan.jvmOptions()).with(hostsFile(node)), more);
    }

    private String peersOf(int master) {
        return master < plan.founders()
                ? IntStream.range(0, plan.founders()).mapToObj(this::peer).collect(Collectors.joining(","))
                : peer(master);
    }

    /** A master as settings and operators name it. */
    public String peer(int index) {
        NodeId master = master(index);
        return master + "=" + layout.address(master, "raft") + "=" + masterAddress(index);
    }

    private NodeId master(int index) {
        return layout.nodes(Role.MASTER).get(index);
    }

    private String masterAddress(int index) {
        return masterName(index) + ":" + masterPort(index);
    }

    private int masterPort(int index) {
        return port(layout.address(master(index), "port"));
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static String masterName(int index) {
        return "master-" + (index + 1) + ".cleave.test";
    }

    /** The masters in the settings of clients. */
    private String knownMasters() {
        return IntStream.range(0, plan.founders()).mapToObj(this::masterAddress).collect(Collectors.joining(","));
    }

    private Path hosts() {
        return plan.folder().resolve("hosts");
    }

    private Path hostsOfServer(int index) {
        return plan.folder().resolve("hosts-of-server-" + (index + 1));
    }

    /** The masters' names, for one JVM. */
    private void writeHosts(Path file, String address) throws IOException {
        StringBuilder text = new StringBuilder(LOOPBACK + " localhost\n");
        for (int i = 0; i < plan.masters(); i++) {
            text.append(address).append(' ').append(masterName(i)).append('\n');
        }
        Files.writeString(file, text);
    }

    private void linkServers() throws IOException {
        for (int server = 0; server < plan.servers(); server++) {
            List<TcpProxy> toMasters = new ArrayList<>();
            String linked = "127.0.2." + (server + 1);
            for (int master = 0; master < plan.masters(); master++) {
                InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), masterPort(master));
                toMasters.add(TcpProxy.start(InetAddress.getByName(linked), masterPort(master), () -> target));
            }
            links.add(toMasters);
            writeHosts(hostsOfServer(server), linked);
        }
    }

    public List<ChildProcess> masters() {
        return masters;
    }

    public List<ChildProcess> servers() {
        return servers;
    }

    public List<ChildProcess> frontEnds() {
        return frontEnds;
    }

    /** None if the files are on BookKeeper. */
    public List<ChildProcess> dfsNodes() {
        return dfsNodes;
    }

    /** Empty if the files are on a DFS node. */
    public Optional<BookKeeper> bookKeeper() {
        return Optional.ofNullable(bookKeeper);
    }

    public List<ChildProcess> all() {
        return Stream.of(ofBookKeeper(), dfsNodes, masters, servers, frontEnds)
                .flatMap(List::stream)
                .toList();
    }

    /** Asks each master once: the caller has the patience. */
    public AdminClient admin() {
        return admin;
    }

    /** The master that leads; CommandFailure if none does now. */
    public int leader() {
        StatusReply status = admin.status();
        String leader = leader(status).map(MasterPeer::getAddress).orElse(status.getLeader());
        return IntStream.range(0, plan.masters())
                .filter(index -> masterPort(index) == port(leader))
                .findFirst()
                .orElse(-1);
    }

    /** The leader, which alone gives such a status, if it is among the masters that it knows. */
    public static Optional<MasterPeer> leader(StatusReply status) {
        return status.getPeersList().stream()
                .filter(peer -> peer.getId().equals(status.getSelf())
                        || peer.getAddress().equals(status.getSelf()))
                .findFirst();
    }

    /** The masters' group's name of a master. */
    public String member(int index) {
        return admin.status().getPeersList().stream()
                .filter(peer -> peer.getId().equals(master(index).toString()))
                .map(MasterPeer::getMember)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Changes the members of the masters' group; false if it is to be asked again.
     *
     * @param out the name of a member; empty: none is removed
     * @param in the index of a master
     */
    public boolean changeMasters(String out, int in) {
        String[] added = peer(in).split("=", -1);
        ChangeMastersRequest request = ChangeMastersRequest.newBuilder()
                .setOut(out)
                .setIn(GroupMember.newBuilder()
                        .setId(added[0])
                        .setRaft(added[1])
                        .setRpc(added[2]))
                .build();
        Status status = admin.askOnce(stub -> stub.changeMasters(request));
        return switch (status.getCode()) {
            case OK -> true;
            case NOT_LEADER, BUSY, UNAVAILABLE, UNKNOWN_OUTCOME -> false;
            default -> throw new IllegalArgumentException(status.getCode() + " " + status.getMessage());
        };
    }

    /** Makes these partitions of a table the beginnings of ranges; asks again while the masters elect a leader. */
    public void split(String account, String table, List<String> partitionKeys) {
        split(AdminSplitRequest.newBuilder()
                .setAccount(account)
                .setTable(table)
                .addAllPartitionKeys(partitionKeys)
                .build());
    }

    public void split(AdminSplitRequest request) {
        admin.split(request);
    }

    /** Where a server's gRPC services are. */
    public String serverAddress(int index) {
        return layout.addresses(Role.SERVER).get(index);
    }

    /** The development account at each front end. */
    public List<Endpoint> endpoints() {
        return layout.addresses(Role.FRONT_END).stream()
                .map(address -> Endpoint.development(port(address)))
                .toList();
    }

    /** The same over HTTPS; none unless the plan says where the front ends' certificate is. */
    public List<Endpoint> secureEndpoints() {
        return secureFrontEndPorts.stream()
                .map(port -> Endpoint.development(URI.create("https://" + LOOPBACK + ":" + port)))
                .toList();
    }

    /** Cuts a server off from all masters, and from no other process. */
    public void cutFromMasters(int server) {
        links.get(server).forEach(TcpProxy::cut);
    }

    public void healToMasters(int server) {
        links.get(server).forEach(TcpProxy::heal);
    }

    /** Waits until every process that runs says that it is ready. */
    public void awaitReady(Patience patience) {
        for (ChildProcess process : all()) {
            if (process.isAlive()) {
                process.awaitReady(patience);
            }
        }
    }

    /** Waits until the leader's map gives every range to a live server that serves it. */
    public void awaitServed(Patience patience) {
        patience.until("every range is served", () -> {
            ServedRanges ranges = ServedRanges.of(admin.status());
            if (!ranges.isAll()) {
                throw new IllegalStateException(ranges.missing());
            }
            return true;
        });
    }

    /** The ends of all logs, for a report of a failure. */
    public String logTails() {
        return String.join("\n", all().stream().map(ChildProcess::logTail).toList());
    }

    /** Where the log of each process is, for a report of a failure. */
    public String logPlaces() {
        return String.join("\n", all().stream().map(ChildProcess::logPlace).toList());
    }

    /** Records what it tells to a file, as {@code cleave board --record} does, until it is closed. Called once. */
    public void record(Path file) {
        List<Address> dfs = dfsNodes.stream()
                .map(node -> new Address(LOOPBACK, node.admin().port()))
                .toList();
        recording = ClusterRecording.begin(file, AdminClient.watcher(layout.addresses(Role.MASTER), null), dfs);
    }

    @Override
    public void close() {
        if (recording != null) {
            recording.close();
        }
        Stream.of(frontEnds, servers, masters, dfsNodes, ofBookKeeper())
                .flatMap(List::stream)
                .forEach(ChildProcess::endQuietly);
        admin.close();
        ports.close();
        for (List<TcpProxy> toMasters : links) {
            for (TcpProxy link : toMasters) {
                try {
                    link.close();
                } catch (IOException closed) {
                    // Its port is free either way once this process ends.
                }
            }
        }
    }
}
