package cleave.master.loop;

import cleave.model.Incarnation;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeLoad;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One server's heartbeat stream and what it said last: whole at first, then what has changed. Confined to the master loop. */
public final class Session {
    private final HeartbeatSink sink;
    private @Nullable Incarnation incarnation;
    private final TreeMap<Long, RangeLoad> ranges = new TreeMap<>();

    private List<RangeLoad> told = List.of();

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
        if (heartbeat.getWhole()) {
            ranges.clear();
        }
        heartbeat
                .getGoneList()
                .forEach(gone -> ranges.computeIfPresent(
                        gone.getRange(), (range, load) -> load.getEpoch() > gone.getEpoch() ? load : null));
        told = heartbeat.getRangesList();
        told.forEach(load -> ranges.put(load.getRange(), load));
    }

    /** What its last heartbeat said. */
    List<RangeLoad> told() {
        return told;
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
