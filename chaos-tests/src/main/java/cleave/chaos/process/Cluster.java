package cleave.chaos.process;

import cleave.chaos.client.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster of separate processes on this machine. Confined to its owner. Each server reaches the masters through links of its
 * own, which can be cut: the masters have names, which each server resolves to addresses of its own ({@code 127.0.2.x}), so that it
 * goes through its links also to masters that only the map names. All ports stay the same over restarts.
 */
public final class Cluster implements AutoCloseable {
    private static final String HOST = "127.0.0.1:";
    private static final String TLS_DIR = "front-end.tls-dir";
    private static final String LOOPBACK = "127.0.0.1";

    private final ClusterPlan plan;
    private final List<ChildProcess> dfsNodes = new ArrayList<>();
    private final List<ChildProcess> masters = new ArrayList<>();
    private final List<ChildProcess> servers = new ArrayList<>();
    private final List<ChildProcess> frontEnds = new ArrayList<>();
    private final List<List<TcpProxy>> links = new ArrayList<>();
    private final List<Integer> masterPorts;
    private final List<Integer> raftPorts;
    private final List<Integer> dfsPorts;
    private final List<Integer> serverPorts;
    private final List<Integer> frontEndPorts;
    private final List<Integer> secureFrontEndPorts;
    private final Ports ports = new Ports();
    private final ClusterAdmin admin;

    private Cluster(ClusterPlan plan) throws IOException {
        this.plan = plan;
        masterPorts = some(plan.masters());
        raftPorts = some(plan.masters());
        dfsPorts = some(plan.dfsNodes());
        serverPorts = some(plan.servers());
        frontEndPorts = some(plan.frontEnds());
        secureFrontEndPorts = plan.settings().containsKey(TLS_DIR) ? some(plan.frontEnds()) : List.of();
        admin = new ClusterAdmin(addresses(masterPorts));
        Files.createDirectories(plan.folder());
        writeHosts(hosts(), LOOPBACK);
        planDfsNodes();
        planMasters();
        planServers();
        planFrontEnds();
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

    /** Founds the cluster, and ends what it took: nothing runs afterwards. */
    public void found(Patience patience) {
        List<ChildProcess> needed = Stream.of(dfsNodes, masters.subList(0, plan.founders()))
                .flatMap(List::stream)
                .toList();
        needed.forEach(ChildProcess::start);
        patience.until("the cluster is founded", () -> admin.found());
        needed.forEach(ChildProcess::kill);
    }

    /** Starts all processes but masters that are to be added, and waits until each says that it is ready; closed if it fails. */
    public void start(Patience patience) {
        try {
            dfsNodes.forEach(ChildProcess::start);
            masters.subList(0, plan.founders()).forEach(ChildProcess::start);
            Stream.of(servers, frontEnds).flatMap(List::stream).forEach(ChildProcess::start);
            patience.until("the cluster is founded", () -> admin.found());
            awaitReady(patience);
        } catch (RuntimeException failed) {
            IllegalStateException told = new IllegalStateException(logTails(), failed);
            close();
            throw told;
        }
    }

    private List<Integer> some(int count) {
        return Stream.generate(ports::next).limit(count).toList();
    }

    private static List<String> addresses(List<Integer> ports) {
        return ports.stream().map(port -> HOST + port).toList();
    }

    private void planDfsNodes() {
        for (int i = 0; i < plan.dfsNodes(); i++) {
            Map<String, String> own = new TreeMap<>();
            own.put("dfs-node.listen", HOST + dfsPorts.get(i));
            own.put("dfs-node.dir", folder("dfs", i).resolve("data").toString());
            dfsNodes.add(process("dfs", i, own, hosts()));
        }
    }

    private void planMasters() {
        List<String> founders = new ArrayList<>();
        for (int i = 0; i < plan.founders(); i++) {
            founders.add(peer(i));
        }
        for (int i = 0; i < plan.masters(); i++) {
            Map<String, String> own = new TreeMap<>();
            own.put("master.id", "master-" + (i + 1));
            own.put("master.listen", HOST + masterPorts.get(i));
            own.put("master.raft-listen", HOST + raftPorts.get(i));
            own.put("master.dir", folder("master", i).resolve("data").toString());
            own.put("master.peers", i < plan.founders() ? String.join(",", founders) : peer(i));
            own.put("dfs", "dfs:" + String.join(",", addresses(dfsPorts)));
            masters.add(process("master", i, own, hosts()));
        }
    }

    /** A master as settings and operators name it; index counts from 0. */
    public String peer(int index) {
        return "master-" + (index + 1) + "=" + HOST + raftPorts.get(index) + "=" + masterAddress(index);
    }

    private String masterAddress(int index) {
        return masterName(index) + ":" + masterPorts.get(index);
    }

    private static String masterName(int index) {
        return "master-" + (index + 1) + ".cleave.test";
    }

    /** Of the masters that clients are told of in their settings. */
    private String knownMasters() {
        return String.join(
                ",",
                IntStream.range(0, plan.founders())
                        .mapToObj(this::masterAddress)
                        .toList());
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

    private void planServers() throws IOException {
        for (int i = 0; i < plan.servers(); i++) {
            List<TcpProxy> toMasters = new ArrayList<>();
            String linked = "127.0.2." + (i + 1);
            for (int port : masterPorts) {
                toMasters.add(TcpProxy.start(InetAddress.getByName(linked), port, port));
            }
            links.add(toMasters);
            writeHosts(hostsOfServer(i), linked);
            Map<String, String> own = new TreeMap<>();
            own.put("server.id", "server-" + (i + 1));
            own.put("server.listen", serverAddress(i));
            own.put("server.dir", folder("server", i).resolve("data").toString());
            own.put("masters", knownMasters());
            own.put("dfs", "dfs:" + String.join(",", addresses(dfsPorts)));
            servers.add(process("server", i, own, hostsOfServer(i)));
        }
    }

    private void planFrontEnds() {
        for (int i = 0; i < plan.frontEnds(); i++) {
            Map<String, String> own = new TreeMap<>();
            own.put("front-end.listen", HOST + frontEndPorts.get(i));
            if (!secureFrontEndPorts.isEmpty()) {
                own.put("front-end.listen-tls", HOST + secureFrontEndPorts.get(i));
            }
            own.put("front-end.development-account", "true");
            own.put("masters", knownMasters());
            own.put("seeds", knownMasters() + "," + String.join(",", addresses(serverPorts)));
            frontEnds.add(process("front-end", i, own, hosts()));
        }
    }

    private ChildProcess process(String role, int index, Map<String, String> own, Path hosts) {
        AdminPort adminPort = new AdminPort(ports.next());
        own.put("admin.listen", HOST + adminPort.port());
        Path folder = folder(role, index);
        List<String> options = new ArrayList<>(plan.jvmOptions());
        options.add("-Djdk.net.hosts.file=" + hosts.toAbsolutePath());
        List<String> command = ChildProcess.cleave(options, folder, plan.arguments(role, own));
        return new ChildProcess(role + "-" + (index + 1), command, folder, adminPort);
    }

    /** Where a process keeps what it has; index counts from 0. */
    public Path folder(String role, int index) {
        return plan.folder().resolve(role + "-" + (index + 1));
    }

    public List<ChildProcess> masters() {
        return List.copyOf(masters);
    }

    public List<ChildProcess> servers() {
        return List.copyOf(servers);
    }

    public List<ChildProcess> frontEnds() {
        return List.copyOf(frontEnds);
    }

    public List<ChildProcess> dfsNodes() {
        return List.copyOf(dfsNodes);
    }

    public List<ChildProcess> all() {
        return Stream.of(dfsNodes, masters, servers, frontEnds)
                .flatMap(List::stream)
                .toList();
    }

    public ClusterAdmin admin() {
        return admin;
    }

    /** Where a server's gRPC services are; index counts from 0. */
    public String serverAddress(int index) {
        return HOST + serverPorts.get(index);
    }

    /** The development account at each front end. */
    public List<Endpoint> endpoints() {
        return frontEndPorts.stream().map(Endpoint::development).toList();
    }

    /** The same over HTTPS; none unless the plan says where the front ends' certificate is. */
    public List<Endpoint> secureEndpoints() {
        return secureFrontEndPorts.stream()
                .map(port -> Endpoint.development(URI.create("https://" + HOST + port)))
                .toList();
    }

    /** Cuts a server off from all masters, and from nobody else. */
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
                patience.until(process.name() + " is ready", () -> isReady(process));
            }
        }
    }

    private static boolean isReady(ChildProcess process) throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException(process.name() + " has ended");
        }
        var readiness = process.admin().readiness();
        if (!readiness.ready()) {
            throw new IOException("it lacks: " + readiness.missing());
        }
        return true;
    }

    /** Waits until the leader's map gives every range to a live server that serves it. */
    public void awaitServed(Patience patience) {
        patience.until("every range is served", () -> admin.isServedWholly());
    }

    /** The ends of all logs, for whoever looks into a failure. */
    public String logTails() {
        return String.join("\n", all().stream().map(ChildProcess::logTail).toList());
    }

    @Override
    public void close() {
        Stream.of(frontEnds, servers, masters, dfsNodes).flatMap(List::stream).forEach(ChildProcess::endQuietly);
        admin.close();
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
