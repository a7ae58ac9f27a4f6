package cleave.master.core;

import static cleave.master.core.Figures.cpu;
import static cleave.master.core.Figures.heap;
import static cleave.master.core.Figures.millis;
import static cleave.master.core.Figures.print;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.master.rpc.MapFeed;
import cleave.master.state.BalancerSettings;
import cleave.master.state.CommandCodec;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterState;
import cleave.master.state.SnapshotCodec;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.KnownMasters;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.MapUpdate;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.WatchRequest;
import com.google.protobuf.MessageLite;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The costs of a leader of 1,000 servers and many ranges: the whole core of a master on a virtual clock, over a log without
 * Raft, with servers that report as real ones do. No test; run by name, prints its figures (docs/scaling.md). All figures are
 * processor time of the thread that runs the core, without that of the garbage collector.
 */
class LeaderMeasurement {
    private static final int[] RANGES = Arrays.stream(
                    System.getProperty("leader.ranges", "10000,100000,1000000").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    private static final int SECONDS = Integer.getInteger("leader.seconds", 6);
    /** Loads settle within a minute, after which they cost less. */
    private static final int WARM_SECONDS = Integer.getInteger("leader.warm", 70);

    private static final int PUBLISHES = 2_000;
    private static final int WATCHERS = 10;
    /** Ranges of the server that dies. */
    private static final int TAKEN_OVER = 1_000;

    private static final int SPLITS = 100;
    private static final int SECONDS_MAX = 60;
    private static final int QUESTIONS = 10;

    @Test
    void figures() {
        for (int ranges : RANGES) {
            steady(ranges);
            takeover(ranges);
        }
    }

    private static void steady(int ranges) {
        print("== %,d ranges, %d%% of them in use", ranges, ReportingServer.IN_USE);
        long before = heap();
        MeasuredCluster cluster = new MeasuredCluster(throughSnapshot(ranges));
        print("heap of the state: %,d MiB", heap() - before);
        before += cluster.joined();
        cluster.begin();
        for (int i = 0; i < WARM_SECONDS; i++) {
            cluster.second();
        }
        print("heap with the leader: %,d MiB", heap() - before);
        cluster.costs = new MeasuredCluster.Costs();
        for (int i = 0; i < SECONDS; i++) {
            cluster.second();
        }
        cluster.costs.print("a second", SECONDS);
        cluster.costs = new MeasuredCluster.Costs();
        board(cluster, ranges);
        stateMachine(cluster);
        splits(cluster);
    }

    private static MasterState throughSnapshot(int ranges) {
        byte[] snapshot = SnapshotCodec.encode(state(ranges, 0, BalancerSettings.DEFAULT));
        long written = cpu(() -> SnapshotCodec.encode(SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED)));
        long read = cpu(() -> SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED));
        print("snapshot: %,d bytes, written in %s, read in %s", snapshot.length, millis(written - read), millis(read));
        return SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED);
    }

    /** What a board asks, at most once in as many milliseconds as there are ranges, however many watch it. */
    private static void board(MeasuredCluster cluster, int ranges) {
        StatusRequest question =
                StatusRequest.newBuilder().setLoads(true).setUnproved(true).build();
        Counting<StatusReply> answer = new Counting<>();
        long spent = 0;
        for (int i = 0; i < 2 * QUESTIONS; i++) {
            Counting<StatusReply> each = new Counting<>();
            long asked = cpu(() -> {
                cluster.core.master().status(question, each);
                cluster.time.runReady();
            });
            spent += i < QUESTIONS ? 0 : asked;
            answer = each;
        }
        assertThat(answer.bytes).isPositive();
        print(
                "a board's question: %s, %,d bytes; asked once in %,d ms that is %.2f %% of a core",
                millis(spent / QUESTIONS),
                answer.bytes,
                Math.max(1000, ranges),
                100.0 * spent / QUESTIONS / 1e6 / Math.max(1000, ranges));
    }

    /** Publishes of ranges drawn at random: through the codec and the state machine, and to watchers. */
    private static void stateMachine(MeasuredCluster cluster) {
        Random random = new Random(1);
        List<Row> rows = List.copyOf(cluster.log.state().rows().all());
        ManualLoop feedLoop = new ManualLoop();
        MapFeed feed = new MapFeed(
                feedLoop, new MasterMetrics(new CollectorRegistry()), () -> new KnownMasters("m1", 1, List.of("m1")));
        feed.changed(cluster.log.state());
        long whole = cpu(feedLoop::runReady);
        List<Counting<MapUpdate>> watchers = new ArrayList<>();
        long[] fed = new long[2];
        long step = 0;
        for (int round = 0; round < 4; round++) {
            boolean counts = round % 2 == 1;
            for (int i = 0; i < PUBLISHES; i++) {
                Row row = Objects.requireNonNull(cluster.log
                        .state()
                        .rows()
                        .row(rows.get(random.nextInt(rows.size())).id()));
                Incarnation owner = Objects.requireNonNull(row.owner());
                Publish publish = new Publish(owner, row.id(), row.version(), row.manifest() + "-" + i);
                long applied = cpu(() -> throughLog(cluster, publish));
                step += counts ? applied : 0;
                feed.changed(cluster.log.state());
                long pumped = cpu(feedLoop::runReady);
                fed[round / 2] += counts ? pumped : 0;
            }
            if (round == 1) {
                for (int i = 0; i < WATCHERS; i++) {
                    Counting<MapUpdate> watcher = new Counting<>();
                    watchers.add(watcher);
                    feed.join(new MapFeed.Watcher(
                            WatchRequest.newBuilder()
                                    .setPieces(true)
                                    .setSameServers(true)
                                    .setVersion(cluster.log.state().mapVersion())
                                    .build(),
                            watcher));
                }
                feedLoop.runReady();
            }
        }
        long bytes = watchers.get(0).bytes / (2 * PUBLISHES);
        double each = (fed[1] - fed[0]) / (double) PUBLISHES / WATCHERS;
        print("commands through the codec and the state machine: %,d a second", 2 * PUBLISHES * 1_000_000_000L / step);
        print("whole map into the feed: %s", millis(whole));
        print(
                "a publish in the feed: %.1f us, and %.1f us and %,d bytes for each watcher",
                fed[0] / 1e3 / PUBLISHES, each / 1e3, bytes);
    }

    private static void throughLog(MeasuredCluster cluster, MasterCommand command) {
        byte[] bytes = CommandCodec.encode(command, cluster.log.state().level());
        MasterAnswer answer = cluster.log.apply(CommandCodec.decode(bytes, FeatureLevels.SUPPORTED));
        if (!answer.isOk()) {
            throw new AssertionError(answer);
        }
    }

    /** Ranges on as many servers become hot in the same second. */
    private static void splits(MeasuredCluster cluster) {
        int before = cluster.log.state().rows().size();
        cluster.servers.stream().limit(SPLITS).forEach(server -> server.hot = server.serving.lastKey());
        long most = 0;
        int seconds = 0;
        for (; splitsOrdered(cluster) < SPLITS && seconds < SECONDS_MAX; seconds++) {
            most = Math.max(most, cluster.second());
        }
        long ordered = splitsOrdered(cluster);
        cluster.servers.forEach(server -> server.hot = 0);
        long after = 0;
        for (int i = 0; i < 2; i++) {
            after = Math.max(after, cluster.second());
        }
        print(
                "%d splits into %d ranges more: in %d s, longest tick %s, in the two seconds after them %s",
                ordered, cluster.log.state().rows().size() - before, seconds, millis(most), millis(after));
    }

    private static long splitsOrdered(MeasuredCluster cluster) {
        return cluster.ranges.orders().stream()
                .filter(order -> order.getTargetsCount() > 1)
                .count();
    }

    private static void takeover(int ranges) {
        BalancerSettings still = BalancerSettings.DEFAULT.with(Map.of("balancer.move", "false"));
        MeasuredCluster cluster = new MeasuredCluster(state(ranges, TAKEN_OVER, still));
        cluster.joined();
        cluster.begin();
        cluster.second();
        cluster.second();
        cluster.costs = new MeasuredCluster.Costs();
        ReportingServer dying = cluster.servers.remove(0);
        int left = cluster.log.state().rows().ownedBy(dying.incarnation).size();
        cluster.core.master().heartbeats().broken(dying.session);
        long began = cluster.time.nanos();
        long declared = 0;
        long ordered = 0;
        while (!cluster.log.state().rows().ownedBy(dying.incarnation).isEmpty()) {
            cluster.step();
            boolean isDead = !cluster.log.state().isLive(dying.incarnation);
            declared = isDead && declared == 0 ? cluster.time.nanos() : declared;
            ordered = cluster.orders.size() == left && ordered == 0 ? cluster.time.nanos() : ordered;
            cluster.obey();
        }
        print(
                "takeover of %,d ranges: declared dead after %s, orders sent %s later, longest tick %s, commits %.1f us each",
                left,
                millis(declared - began),
                millis(ordered - declared),
                millis(cluster.costs.longestTick),
                cluster.costs.commits / 1e3 / left);
    }

    private static MasterState state(int ranges, int ofFirst, BalancerSettings settings) {
        return LargeMap.led(ranges, ofFirst, SharedLog.CLUSTER, FakeFiles.DFS, settings);
    }

    /** A watcher that is always ready, and for which everything is written to bytes as for the network. */
    private static final class Counting<T extends MessageLite> implements StreamSink<T> {
        long bytes;

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(T message) {
            bytes += message.toByteArray().length;
        }

        @Override
        public void end() {}

        @Override
        public void fail(String why) {
            throw new AssertionError(why);
        }
    }
}
