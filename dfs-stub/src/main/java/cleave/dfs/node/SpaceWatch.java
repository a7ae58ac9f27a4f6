package cleave.dfs.node;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.metrics.DfsMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The free space of a node's disk, also between measurements: what the node has accepted and not yet written counts as
 * written. Confined to the node's loop, except {@link #space} and {@link #freeBytes}.
 *
 * <p>Invariant: unless other programs fill the disk, no admitted append brings it below the mark for its purpose.
 */
final class SpaceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWatch.class);
    private static final long TOLD_NANOS = 60_000_000_000L;

    private final SpaceMarks marks;
    private final DfsMetrics metrics;
    private final String node;
    private volatile Space space = Space.ROOMY;
    private volatile long shown = -1;
    private Space told = Space.ROOMY;
    private boolean everTold;
    private long toldNanos;
    private long measured = Long.MAX_VALUE;
    /** Bytes written to the disk since the last measurement. */
    private long written;
    /** Bytes accepted and not yet written. */
    private long outstanding;

    SpaceWatch(String node, SpaceMarks marks, DfsMetrics metrics) {
        this.node = node;
        this.marks = marks;
        this.metrics = metrics;
    }

    boolean isOn() {
        return marks.low() > 0;
    }

    /** Thread-safe. */
    Space space() {
        return space;
    }

    /** As the metrics were told last; -1: not yet. Thread-safe. */
    long freeBytes() {
        return shown;
    }

    boolean admits(Purpose purpose) {
        return marks.admits(purpose, free());
    }

    boolean delays(Purpose purpose) {
        return marks.delays(purpose, space, free());
    }

    private long free() {
        return measured == Long.MAX_VALUE ? measured : measured - written - outstanding;
    }

    /** Counts bytes that are about to be written. */
    void takes(long bytes) {
        outstanding += bytes;
    }

    /** Takes back bytes that will not be written after all. */
    void givesUp(long bytes) {
        outstanding -= bytes;
    }

    /** Counts announced bytes as written. */
    void wrote(long bytes) {
        outstanding -= bytes;
        written += bytes;
    }

    /** The value to pass to {@link #measured} with a measurement that begins now. */
    long written() {
        return written;
    }

    /** @param writtenBefore the value of {@link #written} when the measurement began */
    void measured(long freeBytes, long writtenBefore) {
        measured = freeBytes;
        written -= writtenBefore;
        tellMetrics();
    }

    private void tellMetrics() {
        shown = Math.max(0, free());
        metrics.space(shown, space.level());
    }

    /** Returns whether the state has changed. */
    boolean judge(long nowNanos) {
        Space before = space;
        space = marks.judge(before, free());
        if (space != before) {
            tellMetrics();
        }
        tell(nowNanos);
        return space != before;
    }

    /** Logged at once when it is worse than last logged, otherwise once a minute. */
    private void tell(long nowNanos) {
        boolean due = !everTold || nowNanos - toldNanos >= TOLD_NANOS;
        if (space == Space.ROOMY ? told == space || !due : space.level() <= told.level() && !due) {
            return;
        }
        everTold = true;
        told = space;
        toldNanos = nowNanos;
        if (space == Space.ROOMY) {
            LOG.info("the disk has enough space again node={} free={}", node, free());
            return;
        }
        LOG.warn(
                "the disk is short of space, {} node={} free={} low={} full={}",
                space == Space.FULL ? "appends wait until there is more" : "clients must not write",
                node,
                free(),
                marks.low(),
                marks.full());
    }
}
