package cleave.master.loop;

import cleave.model.Incarnation;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeLoad;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One server's heartbeat stream and what it said last. Confined to the master loop. */
public final class Session {
    private final HeartbeatSink sink;
    private @Nullable Incarnation incarnation;
    private TreeMap<Long, RangeLoad> ranges = new TreeMap<>();

    Session(HeartbeatSink sink) {
        this.sink = sink;
    }

    HeartbeatSink sink() {
        return sink;
    }

    /** Null before its first heartbeat. */
    @Nullable
    Incarnation incarnation() {
        return incarnation;
    }

    void heard(HeartbeatRequest heartbeat) {
        incarnation = Incarnation.fromWire(heartbeat.getIncarnation());
        TreeMap<Long, RangeLoad> told = new TreeMap<>();
        heartbeat.getRangesList().forEach(load -> told.put(load.getRange(), load));
        ranges = told;
    }

    /** What it serves. */
    Iterable<RangeLoad> ranges() {
        return ranges.values();
    }

    /** What it said of a range; null if it does not serve it under this epoch. */
    @Nullable
    RangeLoad serving(long range, long epoch) {
        RangeLoad load = ranges.get(range);
        return load != null && load.getEpoch() == epoch ? load : null;
    }
}
