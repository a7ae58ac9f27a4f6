package cleave.server.membership;

import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.range.RangeScrub;
import cleave.server.range.RangeScrub.Outcome;
import cleave.server.settings.ScrubSettings;
import org.jspecify.annotations.Nullable;

/**
 * Paces the scrubs of all ranges that are served here: one piece of one file at a time, range after range in the order of their ids,
 * round after round. Confined to the membership's loop.
 *
 * <p>Reads stay below the rate on average, from piece to piece. A round is complete if it left nothing out because the DFS or a store could
 * not be asked; the next round reads the pieces that were left out.
 */
final class Scrubber {
    /** A question costs something, however little it brings. */
    private static final long STEP_BYTES_MIN = 16 << 10;
    /** Until there may be a range, or an answer. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private final EventLoop loop;
    private final ScrubSettings settings;
    private final Directory directory;
    private final ServerMetrics metrics;
    private long roundNanos;
    private boolean isEmpty;
    private boolean isWhole;
    /** The least id of the ranges that this round has yet to read. */
    private long nextId;
    /** The one that is being read. */
    private @Nullable Range begun;

    private boolean stopped;

    Scrubber(EventLoop loop, ScrubSettings settings, Directory directory, ServerMetrics metrics) {
        this.loop = loop;
        this.settings = settings;
        this.directory = directory;
        this.metrics = metrics;
    }

    /** Called once. */
    void start() {
        loop.assertInside();
        if (settings.bytesPerSecond() > 0) {
            completed(); // Files that this process has not read yet are not late.
            round();
        }
    }

    void stop() {
        loop.assertInside();
        stopped = true;
    }

    private void completed() {
        metrics.scrubRoundTimestampSeconds.set((double) loop.ticks() / Ticks.PER_SECOND);
    }

    private void round() {
        roundNanos = loop.nanos();
        isEmpty = true;
        isWhole = true;
        nextId = Long.MIN_VALUE;
        begun = null;
        step();
    }

    private void step() {
        if (stopped) {
            return;
        }
        Range range = next();
        if (range == null) {
            ended();
            return;
        }
        if (range != begun) {
            begun = range;
            nextId = range.ownership().range();
            range.scrub().begin();
        }
        isEmpty = false;
        loop.whenDone(range.scrub().next(), (progress, failure) -> {
            if (progress == null) {
                throw new AssertionError("a scrub fails", failure);
            }
            took(range, progress);
        });
    }

    private @Nullable Range next() {
        for (Range range : directory.all()) {
            if (range.ownership().range() >= nextId) {
                return range;
            }
        }
        return null;
    }

    private void took(Range range, RangeScrub.Progress progress) {
        if (progress.outcome() == Outcome.DONE) {
            nextId = range.ownership().range() + 1;
            step();
            return;
        }
        boolean isUnread = progress.outcome() == Outcome.UNREAD;
        isWhole &= !isUnread;
        double seconds = (double) Math.max(STEP_BYTES_MIN, progress.bytes()) / settings.bytesPerSecond();
        loop.schedule(Math.max((long) (seconds * 1e9), isUnread ? PAUSE_NANOS : 0), this::step);
    }

    private void ended() {
        if (isWhole) {
            completed();
        }
        long due = isEmpty ? 0 : roundNanos + settings.everyNanos() - loop.nanos();
        loop.schedule(Math.max(due, PAUSE_NANOS), this::round);
    }
}
