package cleave.master.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.master.rpc.MapFeed;
import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.Session;
import cleave.master.settings.MasterSelf;
import cleave.master.state.BalancerSettings;
import cleave.master.state.CommandCodec;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.master.state.SnapshotCodec;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KnownMasters;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.HotPartition;
import cleave.wire.MapUpdate;
import cleave.wire.Middle;
import cleave.wire.RangeGone;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.Space;
import cleave.wire.SplitCandidate;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.WatchRequest;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The costs of a leader of 1,000 servers and many ranges: the whole core of a master on a virtual clock, over a log without
 * Raft, with servers that report as real ones do. No test; run by name, prints its figures (docs/scaling.md). All figures are
 * processor time of the thread that runs the core, without that of the garbage collector.
 */
class LeaderMeasurement {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int[] RANGES = Arrays.stream(
                    System.getProperty("leader.ranges", "10000,100000,1000000").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    /** The percentage of ranges in use: these are reported every two seconds, with bounds at which they could be split. */
    private static final int IN_USE = Integer.getInteger("leader.in-use", 10);

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
    private static final int HEARTBEATS_A_REFRESH = 10;
    private static final int CANDIDATES = 20;

    @Test
    void figures() {
        for (int ranges : RANGES) {
            steady(ranges);
            takeover(ranges);
        }
    }

    private static void steady(int ranges) {
        print("== %,d ranges, %d%% of them in use", ranges, IN_USE);
        long before = heap();
        Cluster cluster = new Cluster(throughSnapshot(ranges));
        print("heap of the state: %,d MiB", heap() - before);
        before += cluster.joined();
        cluster.begin();
        for (int i = 0; i < WARM_SECONDS; i++) {
            cluster.second();
        }
        print("heap with the leader: %,d MiB", heap() - before);
        cluster.costs.clear();
        for (int i = 0; i < SECONDS; i++) {
            cluster.second();
        }
        cluster.costs.print("a second", SECONDS);
        cluster.costs.clear();
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
    private static void board(Cluster cluster, int ranges) {
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
    private static void stateMachine(Cluster cluster) {
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
                long began = THREADS.getCurrentThreadCpuTime();
                throughLog(cluster, publish);
                step += counts ? THREADS.getCurrentThreadCpuTime() - began : 0;
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

    private static void throughLog(Cluster cluster, MasterCommand command) {
        byte[] bytes = CommandCodec.encode(command, cluster.log.state().level());
        MasterAnswer answer = cluster.log.apply(CommandCodec.decode(bytes, FeatureLevels.SUPPORTED));
        if (!answer.isOk()) {
            throw new AssertionError(answer);
        }
    }

    /** Ranges on as many servers become hot in the same second. */
    private static void splits(Cluster cluster) {
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

    private static long splitsOrdered(Cluster cluster) {
        return cluster.ranges.orders().stream()
                .filter(order -> order.getTargetsCount() > 1)
                .count();
    }

    private static void takeover(int ranges) {
        BalancerSettings still = BalancerSettings.DEFAULT.with(Map.of("balancer.move", "false"));
        Cluster cluster = new Cluster(state(ranges, TAKEN_OVER, still));
        cluster.joined();
        cluster.begin();
        cluster.second();
        cluster.second();
        cluster.costs.clear();
        Speaker dying = cluster.servers.remove(0);
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

    /** A master, its log and its servers on one virtual clock. */
    private static final class Cluster {
        final ManualLoop time = new ManualLoop();
        final SharedLog log = new SharedLog();
        final FakeRanges ranges = new FakeRanges(log);
        final Costs costs = new Costs();
        final List<Speaker> servers = new ArrayList<>();
        /** Ordered openings that were not obeyed yet. */
        final TreeMap<Long, Incarnation> orders = new TreeMap<>();

        final MasterCore core;
        private final SharedLog.Member replica;
        private int steps;

        Cluster(MasterState state) {
            replica = log.member("m1");
            MasterSelf self = Bench.self("m1", List.of(), FeatureLevels.SUPPORTED, FeatureLevels.SUPPORTED.max());
            core = Bench.core(
                    time, self, replica, ranges, new FakeMasterCalls(), new FakeFiles(), new CollectorRegistry());
            log.restore(state);
        }

        /** Makes the servers; gives the heap that they take. */
        long joined() {
            long before = heap();
            log.state().servers().values().forEach(server -> servers.add(new Speaker(this, server.incarnation())));
            return heap() - before;
        }

        /** Elects the master, and has every server send its first heartbeat. */
        void begin() {
            core.start(Bench.member("m1"));
            replica.lead();
            long led = cpu(() -> time.advanceMillis(1));
            servers.forEach(Speaker::beat);
            long first = cpu(() -> time.advanceMillis(100));
            print(
                    "a new leader: begins in %s, hears of all ranges in %s (read from the wire in %s, %,d bytes), first tick %s",
                    millis(led), millis(costs.heard), millis(costs.parsed), costs.bytes, millis(first));
            assertThat(core.readiness().ready()).isTrue();
        }

        /** A second; returns the processor time of its longest tick. */
        long second() {
            long most = 0;
            for (int i = 0; i < 10; i++) {
                most = Math.max(most, step());
            }
            costs.longest.add(most);
            return most;
        }

        /** The interval of two ticks, in which every other server sends a heartbeat. */
        long step() {
            for (int i = steps++ % 2; i < servers.size(); i += 2) {
                servers.get(i).beat();
            }
            long tick = cpu(() -> time.advanceMillis(100));
            costs.ticks += tick;
            costs.longestTick = Math.max(costs.longestTick, tick);
            return tick;
        }

        /** Carries out what was ordered. */
        void obey() {
            for (Map.Entry<Long, Incarnation> order : List.copyOf(orders.entrySet())) {
                Row row = log.state().rows().row(order.getKey());
                Incarnation taker = order.getValue();
                if (row != null && !log.state().isLive(row.owner())) {
                    Handoff takeover = Script.takeover(row, taker, "m/" + row.version());
                    costs.commits += cpu(() -> {
                        core.master().execute(takeover);
                        time.runReady();
                    });
                }
            }
            orders.clear();
        }
    }

    /** Processor time in nanoseconds. */
    private static final class Costs {
        final List<Long> longest = new ArrayList<>();
        long heard;
        long parsed;
        long ticks;
        long longestTick;
        long commits;
        long heartbeats;
        long reports;
        long bytes;

        void clear() {
            longest.clear();
            heard = 0;
            parsed = 0;
            ticks = 0;
            longestTick = 0;
            commits = 0;
            heartbeats = 0;
            reports = 0;
            bytes = 0;
        }

        void print(String per, int count) {
            long balancer = longest.stream().mapToLong(Long::longValue).sum();
            LeaderMeasurement.print(
                    "%s: %,d heartbeats with %,d ranges, %,d bytes: %s in the loop, %s to read them from the wire",
                    per,
                    heartbeats / count,
                    reports / count,
                    bytes / count,
                    millis(heard / count),
                    millis(parsed / count));
            LeaderMeasurement.print(
                    "%s: tick with the balancer %s, at most %s, the nine other ticks %s together",
                    per, millis(balancer / count), millis(longestTick), millis((ticks - balancer) / count));
        }
    }

    /** A server, as the master hears of it: what changes, and what is in use every two seconds. */
    private static final class Speaker implements HeartbeatSink {
        private static final Space SPACE = Space.newBuilder()
                .setFreeBytes(1L << 40)
                .setReserveBytes(1L << 30)
                .build();

        final Incarnation incarnation;
        final Session session;
        /** A range that is hot; 0 if none is. */
        long hot;

        private final Cluster cluster;
        private final TreeMap<Long, Long> told = new TreeMap<>();
        private final TreeMap<Long, Row> serving = new TreeMap<>();
        private @Nullable SortedSet<Long> owned;
        private int beats;

        Speaker(Cluster cluster, Incarnation incarnation) {
            this.cluster = cluster;
            this.incarnation = incarnation;
            this.session = cluster.core.master().heartbeats().open(this);
            look();
            serving.values().forEach(row -> told.put(row.id(), row.epoch()));
        }

        private static boolean isInUse(long range) {
            return mixed(range) % 100 < IN_USE;
        }

        /** Neither ranges in use nor those due at the same time are next to each other or of one server. */
        private static long mixed(long range) {
            return (Row.index(range) * 0x9E3779B97F4A7C15L) >>> 40;
        }

        void beat() {
            byte[] bytes = heartbeat().toByteArray();
            HeartbeatRequest[] read = new HeartbeatRequest[1];
            Costs costs = cluster.costs;
            costs.parsed += cpu(() -> {
                read[0] = parsed(bytes);
                cluster.core.master().heartbeats().heard(session, read[0]);
            });
            costs.heard += cpu(cluster.time::runReady);
            costs.heartbeats++;
            costs.reports += read[0].getRangesCount();
            costs.bytes += bytes.length;
        }

        private static HeartbeatRequest parsed(byte[] bytes) {
            try {
                return HeartbeatRequest.parseFrom(bytes);
            } catch (InvalidProtocolBufferException impossible) {
                throw new AssertionError(impossible);
            }
        }

        private HeartbeatRequest heartbeat() {
            boolean isFirst = beats == 0;
            HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                    .setSpace(SPACE)
                    .setClockTicks(cluster.time.ticks())
                    .setSentNanos(cluster.time.nanos())
                    .setIncarnation(incarnation.toWire())
                    .setLevels(FeatureLevels.SUPPORTED.toWire())
                    .setDfs(FakeFiles.DFS)
                    .setWhole(isFirst);
            look();
            int turn = beats++ % HEARTBEATS_A_REFRESH;
            for (Row row : serving.values()) {
                Long epoch = told.put(row.id(), row.epoch());
                boolean due = isInUse(row.id()) && mixed(row.id()) / 100 % HEARTBEATS_A_REFRESH == turn;
                if (isFirst || epoch == null || epoch != row.epoch() || due || row.id() == hot) {
                    heartbeat.addRanges(load(row));
                }
            }
            told.forEach((range, epoch) -> {
                if (!serving.containsKey(range)) {
                    heartbeat.addGone(RangeGone.newBuilder().setRange(range).setEpoch(epoch));
                }
            });
            told.keySet().retainAll(serving.keySet());
            return heartbeat.build();
        }

        /** Serves what the map says. */
        private void look() {
            SortedSet<Long> now = cluster.log.state().rows().ownedBy(incarnation);
            if (now != owned) {
                owned = now;
                serving.clear();
                now.forEach(range -> serving.put(
                        range, Objects.requireNonNull(cluster.log.state().rows().row(range))));
            }
        }

        private RangeLoad load(Row row) {
            RangeLoad.Builder load = RangeLoad.newBuilder()
                    .setRange(row.id())
                    .setEpoch(row.epoch())
                    .setBytes(100_000_000)
                    .setMiddle(Middle.newBuilder().setAt(within(row, 128)).setLeft(0.5));
            if (isInUse(row.id()) || row.id() == hot) {
                double rate = row.id() == hot ? 5_000 : 20 + 0.1 * (beats % 7);
                load.setEntitiesPerSecond(rate)
                        .setEntitiesPerSecond30S(rate)
                        .setEntitiesPerSecond5M(rate)
                        .setWritten(rate / 2)
                        .setRead(rate / 2)
                        .setRequests(rate)
                        .setBytesMoved(rate * 1_000)
                        .setCpu(0.001)
                        .setQueueWaitMillis(0.1)
                        .setHottest(HotPartition.newBuilder()
                                .setFirst(within(row, 1))
                                .setPart(0.01)
                                .setSamples(500));
                for (int i = 1; i <= CANDIDATES; i++) {
                    load.addCandidates(SplitCandidate.newBuilder()
                            .setAt(within(row, 12 * i))
                            .setLeft(500 * i)
                            .setRight(500 * (CANDIDATES + 1 - i))
                            .setHits(500));
                }
            }
            return load.build();
        }

        private static com.google.protobuf.ByteString within(Row row, int place) {
            byte[] start = row.range().start().equals(Key.MIN)
                    ? Key.beforePartition(7, "customer-").bytes()
                    : row.range().start().bytes();
            byte[] bytes = Arrays.copyOf(start, start.length + 1);
            bytes[start.length] = (byte) place;
            return Key.wrap(bytes).toWire();
        }

        @Override
        public void send(HeartbeatReply reply) {
            for (RangeRow open : reply.getOpenList()) {
                cluster.orders.put(open.getId(), incarnation);
            }
        }

        @Override
        public void close() {}
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

    private static long cpu(Runnable work) {
        long began = THREADS.getCurrentThreadCpuTime();
        work.run();
        return THREADS.getCurrentThreadCpuTime() - began;
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
    }

    private static String millis(long nanos) {
        return String.format("%,.1f ms", nanos / 1e6);
    }

    private static void print(String format, Object... values) {
        System.out.printf(format + "%n", values);
    }
}
