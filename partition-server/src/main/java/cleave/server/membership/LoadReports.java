package cleave.server.membership;

import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeGone;
import cleave.wire.RangeLoad;
import java.util.Iterator;
import java.util.TreeMap;

/**
 * Fills heartbeats with the loads of the ranges of one incarnation: on a new stream all of them, then those that have changed enough to
 * matter. Confined to the membership's loop. Loads that would make a heartbeat too long go into the next ones.
 */
public final class LoadReports {
    private static final double CHANGED_SHARE = 0.05;
    private static final double CHANGED_RATE = 2;
    private static final double CHANGED_BYTES = 1 << 20;
    private static final double CHANGED_CPU = 0.01;
    private static final double CHANGED_MILLIS = 5;
    /**
     * Interval at which a range in use is reported even if its load is unchanged, because the position of its load may
     * have changed.
     */
    private static final long REFRESH_NANOS = 2_000_000_000L;

    /** A heartbeat exceeds this by one range at most; the other ranges go into the next ones. */
    private static final int BYTES_MAX = 4 << 20;

    private final Directory directory;
    private final int bytesMax;
    private final TreeMap<Long, Reported> reported = new TreeMap<>();
    private boolean began;
    /** The first range of the next heartbeat, so that every range has its turn. */
    private long next;

    private record Reported(RangeLoad load, long nanos) {}

    public LoadReports(Directory directory) {
        this(directory, BYTES_MAX);
    }

    public LoadReports(Directory directory, int bytesMax) {
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    /** Starts a stream: the next heartbeat must contain everything. */
    public void begin() {
        reported.clear();
        began = false;
    }

    public void report(HeartbeatRequest.Builder heartbeat, long nowNanos) {
        heartbeat.setWhole(!began);
        began = true;
        int bytes = 0;
        for (Range range : directory.allFrom(next)) {
            RangeLoad load = range.load();
            if (bytes >= bytesMax) {
                next = load.getRange();
                break;
            }
            Reported before = reported.get(load.getRange());
            if (before == null || hasChanged(before.load(), load) || isDue(before, nowNanos)) {
                heartbeat.addRanges(load);
                reported.put(load.getRange(), new Reported(load, nowNanos));
                bytes += load.getSerializedSize();
            }
        }
        for (Iterator<Reported> all = reported.values().iterator(); all.hasNext(); ) {
            RangeLoad load = all.next().load();
            if (directory.range(load.getRange()) == null) {
                heartbeat.addGone(
                        RangeGone.newBuilder().setRange(load.getRange()).setEpoch(load.getEpoch()));
                all.remove();
            }
        }
    }

    private static boolean isDue(Reported before, long nowNanos) {
        return before.load().getEntitiesPerSecond() > CHANGED_RATE && nowNanos - before.nanos() >= REFRESH_NANOS;
    }

    private static boolean hasChanged(RangeLoad before, RangeLoad now) {
        return before.getEpoch() != now.getEpoch()
                || !before.getDamagedFilesList().equals(now.getDamagedFilesList())
                || differ(before.getEntitiesPerSecond(), now.getEntitiesPerSecond(), CHANGED_RATE)
                || differ(before.getEntitiesPerSecond30S(), now.getEntitiesPerSecond30S(), CHANGED_RATE)
                || differ(before.getEntitiesPerSecond5M(), now.getEntitiesPerSecond5M(), CHANGED_RATE)
                || differ(before.getScanned(), now.getScanned(), CHANGED_RATE)
                || differ((double) before.getBytes(), (double) now.getBytes(), CHANGED_BYTES)
                || !before.getMiddle().getAt().equals(now.getMiddle().getAt())
                || before.hasMiddle() != now.hasMiddle()
                || differ(before.getCpu(), now.getCpu(), CHANGED_CPU)
                || differ(before.getQueueWaitMillis(), now.getQueueWaitMillis(), CHANGED_MILLIS);
    }

    private static boolean differ(double before, double now, double floor) {
        return Math.abs(now - before) > Math.max(floor, CHANGED_SHARE * Math.max(before, now));
    }
}
