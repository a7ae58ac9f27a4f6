package cleave.server.opening;

import cleave.runtime.loop.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The turns in which openings read and replay their logs: those that began first come first, as many together as their bytes allow. Confined to the
 * loop of their ranges.
 *
 * <p>Orders come hottest first. Replayed all at once, each opening would have a small share of the loop's thread, and the hottest range would be
 * served when nearly all are; and each has a piece of its log in memory. One that has its turn needs nothing of those that wait, so it
 * ends.
 */
public final class ReplayTurns {
    /** The pieces of a log that are in memory at the same time: one is replayed while the next one comes. */
    static final long BYTES_OF_ONE = 2L * LogReplay.READ_BYTES;

    /** The bytes of all that have their turn; one that needs more has it alone. */
    static final long BYTES_MAX = 4 * BYTES_OF_ONE;

    private final EventLoop loop;
    private final PriorityQueue<Turn> waiting = new PriorityQueue<>(Comparator.comparingLong(turn -> turn.rank));
    private long bytes;

    public ReplayTurns(EventLoop loop) {
        this.loop = loop;
    }

    /** A turn that was asked for. */
    final class Turn {
        private final long rank;
        private final long needed;
        private final CompletableFuture<Void> come = new CompletableFuture<>();
        private boolean ended;

        private Turn(long rank, long needed) {
            this.rank = rank;
            this.needed = needed;
        }

        /** Completes in the loop when the turn has come; never, if it was ended before. */
        CompletableFuture<Void> come() {
            return come;
        }

        /** Lets others have their turn. Idempotent. */
        void end() {
            loop.assertInside();
            if (ended) {
                return;
            }
            ended = true;
            if (come.isDone()) {
                bytes -= needed;
            } else {
                waiting.remove(this);
            }
            next();
        }
    }

    /**
     * The turn of an opening that is not ready to replay yet, so that it can read; null if there is no room. Half of the bytes are left to
     * those that are ready.
     *
     * @param needed bytes of logs that are in memory at the same time
     */
    @Nullable
    Turn early(long needed) {
        loop.assertInside();
        if (!waiting.isEmpty() || bytes + needed > BYTES_MAX / 2) {
            return null;
        }
        return ask(0, needed);
    }

    /**
     * Asks for a turn.
     *
     * @param rank the lowest of those that wait is next
     * @param needed bytes of logs that are in memory at the same time
     */
    Turn ask(long rank, long needed) {
        loop.assertInside();
        Turn turn = new Turn(rank, needed);
        waiting.add(turn);
        next();
        return turn;
    }

    private void next() {
        for (Turn first = waiting.peek();
                first != null && (bytes == 0 || bytes + first.needed <= BYTES_MAX);
                first = waiting.peek()) {
            waiting.remove();
            bytes += first.needed;
            first.come.complete(null);
        }
    }
}
