package cleave.server.range;

import cleave.model.AccountNumber;
import cleave.wire.ErrorCode;
import cleave.wire.Route;

/**
 * A range that is committed to be served here and is not yet, for its sources' logs are still being sealed. Its requests wait. May be
 * called on any thread; what waits is confined to the range's loop.
 */
public final class Arrival {
    private final RangeContext with;
    private final long epoch;
    private final Waiting waiting;
    private boolean ended;
    private ErrorCode how = ErrorCode.OK;

    /** What becomes of a request that waits. */
    public interface Ending {
        /**
         * Called inside the range's loop.
         *
         * @param code OK when the range is served, or why the request is refused
         * @param millisLeft of its deadline
         */
        void ended(ErrorCode code, int millisLeft);
    }

    public Arrival(RangeContext with, long epoch) {
        this.with = with;
        this.epoch = epoch;
        this.waiting = new Waiting(with);
    }

    /** True if a request with this route is for the range that is to come. */
    boolean agreesWith(Route route) {
        return route.getEpoch() == epoch;
    }

    /** Has a request wait, until its deadline at most. It takes room in the server as long. */
    public void await(long bytes, int deadlineMillis, Ending ending) {
        long deadline = with.loop().nanos()
                + (deadlineMillis <= 0 ? with.settings().deadlineNanos() : deadlineMillis * 1_000_000L);
        if (with.budget().isFull()) {
            with.loop().submit(() -> tell(ending, ErrorCode.BUSY, deadline));
            return;
        }
        long held = bytes + MemoryBudget.OVERHEAD_BYTES;
        with.budget().take(AccountNumber.NOBODY, held);
        with.loop().submit(() -> {
            if (ended) {
                letGo(held, ending, how, deadline);
            } else {
                waiting.add(bytes, deadline, code -> letGo(held, ending, code, deadline));
            }
        });
    }

    private void letGo(long held, Ending ending, ErrorCode code, long deadline) {
        with.budget().give(AccountNumber.NOBODY, held);
        tell(ending, code, deadline);
    }

    private void tell(Ending ending, ErrorCode code, long deadline) {
        ending.ended(code, (int) Math.max(1, (deadline - with.loop().nanos()) / 1_000_000));
    }

    /** The range is served, or will not be. */
    public void end(ErrorCode code) {
        with.loop().submit(() -> {
            ended = true;
            how = code;
            waiting.end(code);
        });
    }
}
