package cleave.chaos.pods;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.fault.Report;
import cleave.chaos.fault.Trial;
import cleave.chaos.fault.Trial.Step;
import cleave.chaos.pods.Kubernetes.Loss;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import cleave.wire.AdminMoveRequest;
import cleave.wire.MasterPeer;
import cleave.wire.RangeRow;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Causes events in the pods of a cluster while clients work on it. Confined to its owner. */
final class PodTrial implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(300);
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
    private static final String FORMAT = "cleave-format";

    /** The Secrets of the component tls. */
    private static final String OPERATORS = "cleave-admin-tls";

    private static final String HTTPS = "cleave-https";

    private static final String MASTERS = "cleave-master";
    private static final String SERVERS = "cleave-server";
    private static final String DFS = "cleave-dfs";

    /**
     * Name, the action on a pod of a workload, the same as text, and the goal. If two have a name, the one whose workload exists counts.
     */
    private static final List<Event> EVENTS = """
            leader         | replace       cleave-master leader      | the leading master's pod is deleted                              | Ready < 5 s, nothing fails
            server         | replace       cleave-server busiest     | a server's pod is deleted                                        | stall < 1 s
            dfs            | replace       cleave-dfs 0              | the DFS node's pod is deleted                                    | Ready < 5 s
            dfs            | replace       cleave-bookie 0           | a bookie's pod is deleted                                        | Ready < 5 s
            bookie-disk    | replace-disk  cleave-bookie 1           | a bookie's pod and volumes are deleted                           | stall < 1 s, nothing is lost
            zookeeper      | replace       cleave-zookeeper 2        | a ZooKeeper server's pod is deleted                              | stall < 1 s
            zookeeper-disk | replace-disk  cleave-zookeeper 0        | a ZooKeeper server's pod and volumes are deleted                 | nothing is lost
            bookies        | roll          cleave-bookie             | the bookies are rolled                                           | nothing fails
            front-ends     | roll          cleave-front-end          | the front ends are rolled                                        | nothing fails
            follower-node  | replace-node  cleave-master follower    | a following master is replaced, its old address swallows packets | Ready < 10 s
            leader-node    | replace-node  cleave-master leader      | the leading master is replaced, its old address swallows packets |
            server-node    | replace-node  cleave-server busiest     | a server is replaced, its old address swallows packets           |
            masters        | roll          cleave-master             | the masters are rolled                                           | nothing fails
            servers        | roll          cleave-server             | the servers are rolled                                           | stall < 1 s
            scale          | scale         cleave-server 6           | servers are scaled to 6 and back                                 | nothing fails
            upgrade        | roll-each                               | all roles are rolled, each after the former                      | nothing fails
            all-at-once    | roll-all                                | all roles are rolled at the same time                            |
            """.lines().map(Event::parse).toList();

    /** The workloads in the order in which an upgrade replaces them, as {@code deploy/kubernetes/upgrade} does. */
    private static final List<String> UPGRADE = List.of(
            "cleave-zookeeper", "cleave-bookie", "cleave-autorecovery", DFS, SERVERS, "cleave-front-end", MASTERS);

    /**
     * @param workload empty: all that serve
     * @param which a pod of the workload; or the wanted number of pods; empty: all
     */
    private record Event(String name, String verb, String workload, String which, String text, String goal) {
        static Event parse(String line) {
            String[] parts = line.split("\\|", -1);
            String[] words = parts[1].trim().split(" +");
            return new Event(
                    parts[0].trim(),
                    words[0],
                    words.length < 2 ? "" : words[1],
                    words.length < 3 ? "" : words[2],
                    parts[2].trim(),
                    parts[3].trim());
        }
    }

    private final Kubernetes cluster;
    private final Consumer<String> progress;
    private final Endpoint service = Endpoint.development("cleave", SERVICE_PORT);
    private final Endpoint secureService = Endpoint.development(URI.create("https://cleave:" + SECURE_PORT));
    /** The start of each new pod, for people. */
    private final StringBuilder timeline = new StringBuilder();
    /** Null until the cluster has begun. */
    private @Nullable AdminClient admin;

    PodTrial(Kubernetes cluster, Consumer<String> progress) {
        this.cluster = cluster;
        this.progress = progress;
    }

    /** The names of all events. */
    static List<String> events() {
        return EVENTS.stream().map(Event::name).distinct().toList();
    }

    /** True for events that can be run only without Kubernetes. */
    static boolean takesNetwork(String event) {
        return EVENTS.stream()
                .anyMatch(each -> each.name().equals(event) && each.verb().equals("replace-node"));
    }

    private Event event(String name) {
        return EVENTS.stream()
                .filter(each -> each.name().equals(name))
                .filter(each ->
                        !each.workload().equals(DFS) || cluster.manifests().has(StatefulSet.class, DFS))
                .findFirst()
                .orElseThrow();
    }

    /** Starts a new cluster, causes these events under load, and checks what clients saw. */
    Report run(List<String> names) throws IOException, InterruptedException {
        String beginning = "the cluster starts from nothing";
        progress.accept(beginning);
        long from = System.nanoTime();
        long ready = happened(beginning, this::begin);
        settle();
        Step begun = new Step(beginning, "", from, ready, System.nanoTime(), List.of());
        FaultCluster.makeTable(service, this::admin, TABLE, PARTITIONS, PARTITIONS);
        RecordingClients workload = new RecordingClients(List.of(service, other()), TABLE, PARTITIONS, CLIENTS, "");
        workload.pace(OPERATIONS_PER_SECOND);
        Trial trial = new Trial(workload, FaultCluster.tableId(admin().ranges()), this::settle, progress);
        trial.add(begun);
        trial.begin();
        for (String name : names) {
            Event event = event(name);
            trial.step(event.text(), event.goal(), ALL, () -> happened(event.text(), () -> cause(event)));
        }
        return trial.end();
    }

    private void cause(Event event) throws IOException, InterruptedException {
        String workload = event.workload();
        switch (event.verb()) {
            case "replace" -> cluster.replace(workload, pod(event), Loss.NOTHING);
            case "replace-disk" -> cluster.replace(workload, pod(event), Loss.VOLUMES);
            case "replace-node" -> cluster.replace(workload, pod(event), Loss.NETWORK);
            case "roll" -> cluster.roll(workload, PATIENCE);
            case "roll-each" -> {
                for (String each : upgraded()) {
                    cluster.roll(each, PATIENCE);
                }
            }
            case "roll-all" -> cluster.rollTogether(upgraded(), PATIENCE);
            case "scale" -> scaleServers(Integer.parseInt(event.which()));
            default -> throw new IllegalArgumentException(event.toString());
        }
    }

    private List<String> upgraded() {
        return UPGRADE.stream()
                .filter(workload -> cluster.manifests().has(StatefulSet.class, workload)
                        || cluster.manifests().has(Deployment.class, workload))
                .toList();
    }

    private String pod(Event event) throws IOException, InterruptedException {
        return switch (event.which()) {
            case "leader" -> leader();
            case "follower" -> follower();
            case "busiest" -> busiestServer();
            default -> cluster.pods(event.workload()).get(Integer.parseInt(event.which()));
        };
    }

    /** An action after which all pods must become ready again. */
    private interface Happening {
        void happen() throws IOException, InterruptedException;
    }

    /** Returns when all pods were ready again. */
    private long happened(String text, Happening happening) throws IOException, InterruptedException {
        Map<String, Pod.Start> before = cluster.starts();
        long from = System.nanoTime();
        happening.happen();
        cluster.awaitReady(PATIENCE);
        long ready = System.nanoTime();
        Map<String, Pod.Start> starts = new TreeMap<>(cluster.starts());
        starts.entrySet().removeAll(before.entrySet());
        starts.forEach((pod, start) -> timeline.append(String.format(
                Locale.ROOT,
                "%s: %s began after %.1f s, answered after %.1f s, was ready after %.1f s, with %.1f s of processor time%n",
                text,
                pod,
                (start.launched() - from) / NANOS_PER_SECOND,
                (start.answered() - from) / NANOS_PER_SECOND,
                (start.ready() - from) / NANOS_PER_SECOND,
                start.processor().toMillis() / 1e3)));
        return ready;
    }

    /** The start of each new pod, a line for each. */
    String timeline() {
        return timeline.toString();
    }

    private void settle() {
        PATIENCE.until(
                "every range is served", () -> ServedRanges.of(admin().status()).isAll());
    }

    private void begin() throws IOException, InterruptedException {
        cluster.apply();
        if (cluster.manifests().has(CronJob.class, FORMAT)) {
            cluster.runJob(FORMAT);
        }
        cluster.runJob("cleave-found");
    }

    /** Uses HTTPS as well as HTTP where the manifests have it. */
    private Endpoint other() throws IOException, InterruptedException {
        Path certificates = cluster.certificates(HTTPS);
        if (certificates == null) {
            return service;
        }
        try (InputStream authority = Files.newInputStream(certificates.resolve("ca.crt"))) {
            SSLContext.setDefault(TestAuthority.believing(
                    CertificateFactory.getInstance("X.509").generateCertificate(authority)));
        } catch (CertificateException malformed) {
            throw new IOException(HTTPS + ": " + malformed.getMessage(), malformed);
        }
        return secureService;
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

    private void scaleServers(int many) throws IOException, InterruptedException {
        int before = cluster.pods(SERVERS).size();
        cluster.scale(SERVERS, many);
        cluster.awaitReady(PATIENCE);
        PATIENCE.until("ranges are spread over " + many + " servers", this::isSpread);
        progress.accept("ranges are spread over " + many + " servers");
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
