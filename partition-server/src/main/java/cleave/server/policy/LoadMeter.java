package cleave.server.policy;

import cleave.model.Key;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.StoredSize;
import cleave.server.state.WriteOp;
import cleave.wire.RangeLoad;
import cleave.wire.ScanReply;
import cleave.wire.WriteKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures the load of one range. Confined to the range's loop.
 *
 * <p>A request costs a few additions. Keys are examined only for a sample, of about a thousand requests per second at
 * any load. Averages are computed when the load is read.
 */
public final class LoadMeter {
    private static final long SECOND = 1_000_000_000L;
    private static final int SAMPLES_PER_SECOND = 1000;
    /** The number of keys that stand for those that a request touched. */
    private static final int KEYS_MAX = 16;
    /** Rate below which the position of the load does not matter. */
    private static final double LOCATED_MIN = 1;

    private final Ownership ownership;
    private final LoadSamples samples;
    private final MovingEnd end;
    private final DecayingRate entities = new DecayingRate(SECOND);
    private final DecayingRate entities30s = new DecayingRate(30 * SECOND);
    private final DecayingRate entities5m = new DecayingRate(300 * SECOND);
    private final DecayingRate written = new DecayingRate(SECOND);
    private final DecayingRate read = new DecayingRate(SECOND);
    private final DecayingRate scanned = new DecayingRate(SECOND);
    private final DecayingRate requests = new DecayingRate(SECOND);
    private final DecayingRate bytes = new DecayingRate(SECOND);
    private final DecayingRate workedNanos = new DecayingRate(SECOND);
    private final DecayingRate waitedNanos = new DecayingRate(SECOND);
    private Counts counts = new Counts();
    private long measuredNanos;
    private int stride = 1;
    private int skip;

    /** Sums since the last measurement. */
    private static final class Counts {
        private long written;
        private long read;
        private long returned;
        private long scanned;
        private long requests;
        private long bytes;
        private long workedNanos;
        private long waitedNanos;
    }

    public LoadMeter(Ownership ownership, long nowNanos) {
        this.ownership = ownership;
        this.measuredNanos = nowNanos;
        this.samples = new LoadSamples(ownership.range() * 0x9E3779B97F4A7C15L + ownership.epoch(), nowNanos);
        this.end = new MovingEnd(nowNanos);
    }

    /** A write was executed. */
    public void wrote(List<WriteOp> operations, List<Effect> effects) {
        counts.requests++;
        counts.written += effects.size();
        for (int i = 0; i < effects.size(); i++) {
            if (effects.get(i) instanceof Effect.Put put) {
                counts.bytes += put.entity().length;
            }
            WriteOp operation = operations.get(i);
            if (mayInsert(operation.kind())) {
                end.inserted(operation.key());
            }
        }
        if (isSampled()) {
            samples.add(List.of(operations.get(0).key()), operations.size()); // All of one partition.
        }
    }

    private static boolean mayInsert(WriteKind kind) {
        return kind == WriteKind.INSERT || kind == WriteKind.INSERT_OR_REPLACE || kind == WriteKind.INSERT_OR_MERGE;
    }

    /** An entity was looked up: read, found absent, or found not to be as a write wants it. */
    public void read(Key key, int entityBytes) {
        counts.requests++;
        counts.read++;
        counts.bytes += entityBytes;
        if (isSampled()) {
            samples.add(List.of(key), 1);
        }
    }

    /** A scan was answered. */
    public void scanned(Key start, ScanReply reply) {
        int rows = reply.getRowsCount();
        counts.requests++;
        counts.scanned += reply.getExamined();
        counts.returned += rows;
        for (int i = 0; i < rows; i++) {
            counts.bytes += reply.getRows(i).getEntity().size();
        }
        boolean located = rows > 0 || start.isEntity(); // A bound may be one that only scans begin at.
        if (located && isSampled()) {
            samples.add(rows == 0 ? List.of(start) : keys(reply), Math.max(1, rows));
        }
    }

    /** Some of a scan's keys, spread over all of them. They, not the scan's start, show a split that divides its answer. */
    private static List<Key> keys(ScanReply reply) {
        int rows = reply.getRowsCount();
        int taken = Math.min(rows, KEYS_MAX);
        List<Key> keys = new ArrayList<>(taken);
        for (int i = 0; i < taken; i++) {
            int row = taken == 1 ? 0 : (int) ((long) i * (rows - 1) / (taken - 1));
            keys.add(Key.fromWire(reply.getRows(row).getKey()));
        }
        return keys;
    }

    private boolean isSampled() {
        if (skip > 0) {
            skip--;
            return false;
        }
        skip = samples.skip(stride);
        return true;
    }

    /** A request began to be executed this long after it arrived. */
    public void waited(long nanos) {
        counts.waitedNanos += nanos;
    }

    /** A thread worked for the range. */
    public void worked(long nanos) {
        counts.workedNanos += nanos;
    }

    /**
     * The current load.
     *
     * @param size null: not known yet
     */
    public RangeLoad measure(@Nullable StoredSize size, long nowNanos) {
        long elapsed = nowNanos - measuredNanos;
        if (elapsed > 0) {
            average(elapsed);
            measuredNanos = nowNanos;
            stride = (int) Math.max(1, requests.perSecond() / SAMPLES_PER_SECOND);
            samples.age(nowNanos);
            end.age(nowNanos);
        }
        return tell(size, nowNanos);
    }

    private void average(long elapsed) {
        Counts counted = counts;
        counts = new Counts();
        long moved = counted.written + counted.read + counted.returned;
        entities.count(moved, elapsed);
        entities30s.count(moved, elapsed);
        entities5m.count(moved, elapsed);
        written.count(counted.written, elapsed);
        read.count(counted.read, elapsed);
        scanned.count(counted.scanned, elapsed);
        requests.count(counted.requests, elapsed);
        bytes.count(counted.bytes, elapsed);
        workedNanos.count(counted.workedNanos, elapsed);
        waitedNanos.count(counted.waitedNanos, elapsed);
    }

    private RangeLoad tell(@Nullable StoredSize size, long nowNanos) {
        RangeLoad.Builder load = RangeLoad.newBuilder()
                .setRange(ownership.range())
                .setEpoch(ownership.epoch())
                .setEntitiesPerSecond(entities.perSecond())
                .setEntitiesPerSecond30S(entities30s.perSecond())
                .setEntitiesPerSecond5M(entities5m.perSecond())
                .setWritten(written.perSecond())
                .setRead(read.perSecond())
                .setScanned(scanned.perSecond())
                .setRequests(requests.perSecond())
                .setBytesMoved(bytes.perSecond())
                .setCpu(workedNanos.perSecond() / SECOND);
        if (size != null) {
            load.setBytes(size.bytes()).setMiddle(size.middleToWire());
        }
        if (requests.perSecond() > 0) {
            load.setQueueWaitMillis(waitedNanos.perSecond() / requests.perSecond() / 1e6);
        }
        if (entities.perSecond() >= LOCATED_MIN) {
            samples.tell(load, nowNanos);
            end.tell(load);
        }
        return load.build();
    }
}
