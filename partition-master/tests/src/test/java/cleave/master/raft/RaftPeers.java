package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.membership.GroupMembership;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.settings.MasterTiming;
import cleave.master.state.BalancerSettings;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.Initialize;
import cleave.model.ClusterId;
import cleave.model.FeatureLevels;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Link;
import cleave.runtime.rpc.TestPorts;
import cleave.runtime.rpc.Transport;
import cleave.wire.ErrorCode;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.ratis.util.FileUtils;
import org.jspecify.annotations.Nullable;

/** Several real Raft peers in this process, to be started, stopped and given old copies of their folders. Confined to one test. */
final class RaftPeers implements AutoCloseable {
    private static final ClusterId CLUSTER = new ClusterId("11111111-2222-3333-4444-555555555555");
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long MILLI = 1_000_000;

    private final Path dir;
    private final long snapshotEvery;
    private final List<Peer> peers = new ArrayList<>();
    private final TreeMap<String, RaftNode> running = new TreeMap<>();
    private final TreeMap<String, MasterMetrics> metrics = new TreeMap<>();
    private final TreeMap<String, String> listens = new TreeMap<>();
    private final TreeMap<String, Link> links = new TreeMap<>();
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();

    RaftPeers(Path dir, int count, long snapshotEvery) {
        this(dir, count, snapshotEvery, false);
    }

    private RaftPeers(Path dir, int count, long snapshotEvery, boolean linked) {
        this.dir = dir;
        this.snapshotEvery = snapshotEvery;
        for (int i = 1; i <= count; i++) {
            String id = "m" + i;
            int port = TestPorts.free();
            listens.put(id, "127.0.0.1:" + port);
            int reached = port;
            if (linked) {
                Link link = new Link(port);
                links.put(id, link);
                reached = link.port();
            }
            peers.add(new Peer(id, "127.0.0.1:" + reached, "inproc:rpc-of-" + id));
        }
    }

    /** Peers that reach each other over links. */
    static RaftPeers linked(Path dir, int count) {
        return new RaftPeers(dir, count, 1_000, true);
    }

    /** The connections to a peer swallow everything from now on, and stay established; new ones do not. */
    void swallow(String id) {
        Objects.requireNonNull(links.get(id)).swallow();
    }

    /** The number of open connections to a peer. */
    int connections(String id) {
        return Objects.requireNonNull(links.get(id)).connections();
    }

    /** A group that runs, and whose map has its first row. */
    static RaftPeers started(Path dir, int count, long snapshotEvery) {
        RaftPeers peers = new RaftPeers(dir, count, snapshotEvery);
        peers.startAll();
        peers.execute(new Initialize("c"));
        return peers;
    }

    /** Waits until this peer has what the leader has. */
    void awaitCaughtUp(String id) {
        Await.until(
                "state of " + id, () -> node(id).state().equals(node(leader()).state()));
    }

    /** Another leads from now on. */
    void transfer(String from, String to) {
        Await.until(
                "the end of its term",
                () -> node(from)
                        .transferLeadership(to)
                        .orTimeout(120, TimeUnit.SECONDS)
                        .join()
                        .isOk());
    }

    void startAll() {
        peers.forEach(peer -> start(peer.id()));
    }

    void start(String id) {
        start(id, FeatureLevels.SUPPORTED);
    }

    /** A version that supports these feature levels. */
    void start(String id, FeatureLevels levels) {
        Peer self =
                peers.stream().filter(peer -> peer.id().equals(id)).findFirst().orElseThrow();
        MasterConfig config = new MasterConfig(
                id,
                "inproc:" + id,
                Objects.requireNonNull(listens.get(id)),
                peers,
                folder(id),
                snapshotEvery,
                1024,
                500 * MILLI,
                1_000 * MILLI,
                5_000 * MILLI,
                MasterTiming.DEFAULT,
                FeatureLevels.SUPPORTED.max(),
                BalancerSettings.DEFAULT);
        MasterMetrics counted = new MasterMetrics(new CollectorRegistry());
        metrics.put(id, counted);
        RaftNode node = new RaftNode(config, levels, Transport.PLAIN, counted, state -> {}, faults::add);
        running.put(id, node);
        try {
            if (!Files.exists(folder(id))) {
                GroupMembership founder =
                        new GroupMembership(CLUSTER, id, GroupMembership.Phase.JOINING, "t", peers, List.of());
                MemberFile.write(folder(id), founder);
            }
            node.start(self.rpc());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Claims that it does not start. */
    void startInVain(String id) {
        boolean started;
        try {
            start(id);
            started = true;
        } catch (RuntimeException failed) {
            started = false;
        }
        stop(id);
        if (started) {
            throw new AssertionError(id + " started");
        }
    }

    void stop(String id) {
        RaftNode node = running.remove(id);
        if (node != null) {
            close(node);
        }
    }

    private static void close(RaftNode node) {
        try {
            node.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Keeps a copy of a folder, as an operator might. */
    void copyFolder(String id) {
        copy(folder(id), dir.resolve("copy-of-" + id));
    }

    /** The folder is as it was when it was copied. */
    void restoreFolder(String id) {
        try {
            FileUtils.deleteFully(folder(id));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        copy(dir.resolve("copy-of-" + id), folder(id));
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path path : files.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Path folder(String id) {
        return dir.resolve(id);
    }

    RaftNode node(String id) {
        RaftNode node = running.get(id);
        if (node == null) {
            throw new AssertionError(id + " does not run");
        }
        return node;
    }

    List<RaftNode> nodes() {
        return List.copyOf(running.values());
    }

    List<Throwable> faults() {
        return faults;
    }

    String leader() {
        Await.until("a leader", () -> leaderId() != null);
        String leader = leaderId();
        return leader == null ? leader() : leader;
    }

    private @Nullable String leaderId() {
        for (String id : running.keySet()) {
            if (node(id).leaderTerm() != 0) {
                return id;
            }
        }
        return null;
    }

    /** Has the leader answer a command; only for commands that may be sent twice. */
    MasterAnswer execute(MasterCommand command) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            MasterAnswer answer = node(leader())
                    .propose(command)
                    .orTimeout(120, TimeUnit.SECONDS)
                    .join();
            if (answer.code() != ErrorCode.NOT_LEADER
                    && answer.code() != ErrorCode.UNAVAILABLE
                    && answer.code() != ErrorCode.UNKNOWN_OUTCOME) {
                return answer;
            }
        }
        throw new AssertionError("not answered: " + command);
    }

    /** Claims that no peer had a fault, but for those that were taken. */
    @Override
    public void close() {
        try {
            assertThat(faults).isEmpty();
        } finally {
            closeAll();
        }
    }

    private void closeAll() {
        running.values().forEach(RaftPeers::close);
        running.clear();
        for (Link link : links.values()) {
            try {
                link.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
