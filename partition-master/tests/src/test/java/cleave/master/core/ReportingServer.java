package cleave.master.core;

import static cleave.master.core.Figures.cpu;

import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.Session;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.HotPartition;
import cleave.wire.Middle;
import cleave.wire.RangeGone;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.Space;
import cleave.wire.SplitCandidate;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A server, as the master hears of it: what changes, and what is in use every two seconds. */
final class ReportingServer implements HeartbeatSink {
    /** The percentage of ranges in use: these are reported every two seconds, with bounds at which they could be split. */
    static final int IN_USE = Integer.getInteger("leader.in-use", 10);

    private static final int HEARTBEATS_A_REFRESH = 10;
    private static final int CANDIDATES = 20;
    private static final Space SPACE =
            Space.newBuilder().setFreeBytes(1L << 40).setReserveBytes(1L << 30).build();

    final Incarnation incarnation;
    final Session session;
    /** A range that is hot; 0 if none is. */
    long hot;

    private final MeasuredCluster cluster;
    private final TreeMap<Long, Long> told = new TreeMap<>();
    final TreeMap<Long, Row> serving = new TreeMap<>();
    private @Nullable SortedSet<Long> owned;
    private int beats;

    ReportingServer(MeasuredCluster cluster, Incarnation incarnation) {
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
        MeasuredCluster.Costs costs = cluster.costs;
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

    private static ByteString within(Row row, int place) {
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
