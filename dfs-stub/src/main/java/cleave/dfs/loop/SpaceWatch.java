package cleave.dfs.loop;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.metrics.DfsMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much space a node's disk has, between two measurements too: what the node has accepted and not written yet counts as written.
 * Confined to the node's loop, but for {@link #space}.
 *
 * <p>Invariant: as long as others leave the disk alone, no append is admitted that brings it below the mark of its purpose.
 */
final class SpaceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWatch.class);
    private static final long TOLD_NANOS = 60_000_000_000L;

    private final SpaceMarks marks;
    private final DfsMetrics metrics;
    private String node = "";
    private volatile Space space = Space.ROOMY;
    private Space told = Space.ROOMY;
    private boolean everTold;
    private long toldNanos;
    private long measured = Long.MAX_VALUE;
    /** Bytes that came to the disk since it was measured. */
    private long written;
    /** Bytes that were taken and have not come to the disk. */
    private long outstanding;

    SpaceWatch(SpaceMarks marks, DfsMetrics metrics) {
        this.marks = marks;
        this.metrics = metrics;
    }

    void start(String self) {
        node = self;
    }

    boolean isOn() {
        return marks.low() > 0;
    }

    /** On any thread. */
    Space space() {
        return space;
    }

    boolean isFull() {
        return space == Space.FULL;
    }

    boolean admits(Purpose purpose) {
        return marks.admits(purpose, free());
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

    /** What was written when the disk is being looked at. */
    long written() {
        return written;
    }

    /** @param writtenBefore what {@link #written} was when the disk was looked at */
    void measured(long freeBytes, long writtenBefore) {
        measured = freeBytes;
        written -= writtenBefore;
        tellMetrics();
    }

    private void tellMetrics() {
        metrics.space(Math.max(0, free()), space.level());
    }

    /** Answers whether there is another state than before. */
    boolean judge(long nowNanos) {
        Space before = space;
        space = marks.judge(before, free());
        if (space != before) {
            tellMetrics();
        }
        tell(nowNanos);
        return space != before;
    }

    /** At once when it gets worse than was told, else once a minute. */
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
