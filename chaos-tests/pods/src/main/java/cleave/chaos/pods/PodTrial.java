package cleave.chaos.pods;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.Report;
import cleave.chaos.fault.Trial;
import cleave.chaos.fault.Trial.Step;
import cleave.chaos.fault.Workload;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.client.RetryingClient;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.MasterPeer;
import cleave.wire.RangeRow;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Causes events in the pods of a cluster while clients work on it. Confined to its owner. */
final class PodTrial implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(300);
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final String TABLE = "Pods";
    private static final int PARTITIONS = 8;
    private static final List<Integer> ALL =
            IntStream.range(0, PARTITIONS).boxed().toList();
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int CLIENTS = 3;
    private static final int OPERATIONS_PER_SECOND = 150;
    private static final int MASTER_PORT = 10100;
    private static final int SERVICE_PORT = 10002;
    private static final int SECURE_PORT = 10443;
    private static final int MANY_SERVERS = 6;
    private static final String FORMAT = "cleave-format";

    /** The Secrets of the component tls. */
    private static final String OPERATORS = "cleave-admin-tls";

    private static final String HTTPS = "cleave-https";

    private static final String MASTERS = "cleave-master";
    private static final String SERVERS = "cleave-server";
    private static final String DFS = "cleave-dfs";
    private static final String BOOKIES = "cleave-bookie";
    private static final String ZOOKEEPERS = "cleave-zookeeper";
    private static final String FRONT_ENDS = "cleave-front-end";

    /** What is done, after which all pods must become ready again. */
    private interface Happening {
        void happen() throws IOException, InterruptedException;
    }

    private record Event(String text, String goal, Happening happening) {}

    private final Kubernetes cluster;
    private final Consumer<String> progress;
    private final Endpoint service = Endpoint.development("cleave", SERVICE_PORT);
    private final Endpoint secureService = Endpoint.development(URI.create("https://cleave:" + SECURE_PORT));
    private final Map<String, Event> events = new LinkedHashMap<>();
    /** How each new pod became ready, for people. */
    private final StringBuilder timeline = new StringBuilder();
    /** Null until the cluster has begun. */
    private @Nullable AdminClient admin;

    PodTrial(Kubernetes cluster, Consumer<String> progress) {
        this.cluster = cluster;
        this.progress = progress;
        add(
                "leader",
                "the leading master's pod is deleted",
                "Ready < 5 s, nothing fails",
                () -> cluster.replace(MASTERS, leader()));
        add("server", "a server's pod is deleted", "stall < 1 s", () -> cluster.replace(SERVERS, busiestServer()));
        add(
                "dfs",
                cluster.hasSet(DFS) ? "the DFS node's pod is deleted" : "a bookie's pod is deleted",
                "Ready < 5 s",
                () -> cluster.replace(dfs(), cluster.pods(dfs()).get(0)));
        add(
                "bookie-disk",
                "a bookie's pod and volumes are deleted",
                "stall < 1 s, nothing is lost",
                () -> cluster.replaceWithVolumes(BOOKIES, cluster.pods(BOOKIES).get(1)));
        add(
                "zookeeper",
                "a ZooKeeper server's pod is deleted",
                "stall < 1 s",
                () -> cluster.replace(ZOOKEEPERS, cluster.pods(ZOOKEEPERS).get(2)));
        add(
                "zookeeper-disk",
                "a ZooKeeper server's pod and volumes are deleted",
                "nothing is lost",
                () -> cluster.replaceWithVolumes(
                        ZOOKEEPERS, cluster.pods(ZOOKEEPERS).get(0)));
        add("bookies", "the bookies are rolled", "nothing fails", () -> cluster.roll(BOOKIES, PATIENCE));
        add("front-ends", "the front ends are rolled", "nothing fails", () -> cluster.roll(FRONT_ENDS, PATIENCE));
        add(
                "follower-node",
                "a following master is replaced, its old address swallows packets",
                "Ready < 10 s",
                () -> cluster.replaceUnreachable(MASTERS, follower()));
        add(
                "leader-node",
                "the leading master is replaced, its old address swallows packets",
                "",
                () -> cluster.replaceUnreachable(MASTERS, leader()));
        add(
                "server-node",
                "a server is replaced, its old address swallows packets",
                "",
                () -> cluster.replaceUnreachable(SERVERS, busiestServer()));
        add("masters", "the masters are rolled", "nothing fails", () -> cluster.roll(MASTERS, PATIENCE));
        add("servers", "the servers are rolled", "stall < 1 s", () -> cluster.roll(SERVERS, PATIENCE));
        add("scale", "servers are scaled to " + MANY_SERVERS + " and back", "nothing fails", this::scaleServers);
    }

    private void add(String name, String text, String goal, Happening happening) {
        events.put(name, new Event(text, goal, happening));
    }

    /** Starts a new cluster, causes these events under load, and checks what clients saw. */
    Report run(List<String> names) throws IOException, InterruptedException {
        String beginning = "the cluster starts from nothing";
        progress.accept(beginning);
        long from = System.nanoTime();
        long ready = happened(new Event(beginning, "", this::begin));
        settle();
        Step begun = new Step(beginning, "", from, ready, System.nanoTime(), List.of());
        createTable();
        Workload workload = new Workload(List.of(service, other()), TABLE, PARTITIONS, CLIENTS, "");
        workload.pace(OPERATIONS_PER_SECOND);
        Trial trial = new Trial(workload, tableId(), this::settle, progress);
        trial.add(begun);
        trial.begin();
        for (String name : names) {
            Event event = Objects.requireNonNull(events.get(name), name);
            trial.step(event.text(), event.goal(), ALL, () -> happened(event));
        }
        return trial.end();
    }

    /** Causes the event; returns when all pods were ready again. */
    private long happened(Event event) throws IOException, InterruptedException {
        Map<String, Pod.Start> before = cluster.starts();
        long from = System.nanoTime();
        event.happening().happen();
        cluster.awaitReady(PATIENCE);
        long ready = System.nanoTime();
        Map<String, Pod.Start> starts = new TreeMap<>(cluster.starts());
        starts.entrySet().removeAll(before.entrySet());
        starts.forEach((pod, start) -> timeline.append(String.format(
                Locale.ROOT,
                "%s: %s began after %.1f s, answered after %.1f s, was ready after %.1f s, with %.1f s of processor time%n",
                event.text(),
                pod,
                (start.launched() - from) / NANOS_PER_SECOND,
                (start.answered() - from) / NANOS_PER_SECOND,
                (start.ready() - from) / NANOS_PER_SECOND,
                start.processor().toMillis() / 1e3)));
        return ready;
    }

    /** How each new pod became ready, a line for each. */
    String timeline() {
        return timeline.toString();
    }

    private void settle() {
        PATIENCE.until(
                "every range is served", () -> ServedRanges.of(admin().status()).isAll());
    }

    private long tableId() throws IOException, InterruptedException {
        return FaultCluster.tableId(admin().ranges());
    }

    private void begin() throws IOException, InterruptedException {
        cluster.apply();
        if (cluster.hasJob(FORMAT)) {
            cluster.runJob(FORMAT);
        }
        cluster.runJob("cleave-found");
    }

    private String dfs() {
        return cluster.hasSet(DFS) ? DFS : BOOKIES;
    }

    /** Uses HTTPS as well as HTTP where the manifests have it. */
    private Endpoint other() throws IOException, InterruptedException {
        Path certificates = cluster.certificates(HTTPS);
        if (certificates == null) {
            return service;
        }
        Believed.byDefault(certificates.resolve("ca.crt"));
        return secureService;
    }

    /** As long as the Service has not heard that front ends are ready, it refuses connections. */
    private void createTable() {
        PATIENCE.until("the table is created", () -> {
            try (RetryingClient client = new RetryingClient(new Requests(service), REQUEST)) {
                client.createTable(TABLE);
                return true;
            }
        });
        AdminSplitRequest split = AdminSplitRequest.newBuilder()
                .setAccount(Endpoint.DEVELOPMENT_ACCOUNT)
                .setTable(TABLE)
                .addAllPartitionKeys(IntStream.range(1, PARTITIONS)
                        .mapToObj(Workload::partitionKey)
                        .toList())
                .build();
        PATIENCE.until("the table is split", () -> {
            admin().split(split);
            return true;
        });
    }

    /** A client of the masters at their current addresses. */
    private AdminClient admin() throws IOException, InterruptedException {
        cluster.connect(MASTERS, MASTER_PORT);
        AdminClient known = admin;
        if (known == null) {
            Path certificates = cluster.certificates(OPERATORS);
            known = new AdminClient(
                    cluster.pods(MASTERS).stream()
                            .map(pod -> pod + "." + MASTERS + ":" + MASTER_PORT)
                            .toList(),
                    certificates == null ? Transport.PLAIN : Transport.mutualTls(certificates, PeerRole.ADMIN),
                    Duration.ZERO);
            admin = known;
        }
        return known;
    }

    private void scaleServers() throws IOException, InterruptedException {
        int before = cluster.pods(SERVERS).size();
        cluster.scale(SERVERS, MANY_SERVERS);
        cluster.awaitReady(PATIENCE);
        PATIENCE.until("ranges are spread over " + MANY_SERVERS + " servers", this::isSpread);
        progress.accept("ranges are spread over " + MANY_SERVERS + " servers");
        cluster.scale(SERVERS, before);
        PATIENCE.until("ranges are back", () -> owners().size() <= before);
    }

    /** Moves a range to each server that has none, because the balancer has no reason to while two servers carry the load. */
    private boolean isSpread() throws IOException, InterruptedException {
        List<RangeRow> rows = admin().ranges();
        for (String server : cluster.pods(SERVERS)) {
            if (owned(rows, server) == 0) {
                long range = rows.stream()
                        .filter(row -> owned(rows, row.getOwner().getServer()) > 1)
                        .findFirst()
                        .orElseThrow()
                        .getId();
                admin().askOnce(stub -> stub.move(AdminMoveRequest.newBuilder()
                        .setRange(range)
                        .setServer(server)
                        .build()));
                return false;
            }
        }
        return true;
    }

    private Set<String> owners() throws IOException, InterruptedException {
        Set<String> owners = new HashSet<>();
        admin().ranges().forEach(row -> owners.add(row.getOwner().getServer()));
        return owners;
    }

    private String busiestServer() throws IOException, InterruptedException {
        List<RangeRow> rows = admin().ranges();
        return cluster.pods(SERVERS).stream()
                .max(Comparator.comparingLong(server -> owned(rows, server)))
                .orElseThrow();
    }

    private static long owned(List<RangeRow> rows, String server) {
        return rows.stream()
                .filter(row -> row.getOwner().getServer().equals(server))
                .count();
    }

    private String leader() {
        AtomicReference<String> leader = new AtomicReference<>("");
        PATIENCE.until("a master leads, in a pod of its own name", () -> {
            leader.set(Cluster.leader(admin().status()).map(MasterPeer::getId).orElse(""));
            return cluster.pods(MASTERS).contains(leader.get());
        });
        return Objects.requireNonNull(leader.get());
    }

    private String follower() throws IOException, InterruptedException {
        String leader = leader();
        return cluster.pods(MASTERS).stream()
                .filter(pod -> !pod.equals(leader))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no master but the leader"));
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close();
        }
    }
}
