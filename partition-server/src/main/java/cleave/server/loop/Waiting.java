package cleave.server.loop;

import cleave.server.settings.RangeSettings;
import cleave.wire.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Requests that came while their range was in the switch of a handoff: they are begun when it goes on and refused when it has ended.
 * Confined to the range's loop. Bounded by admission, and in bytes.
 *
 * <p>Nobody waits to the end of a switch that drags on, for its commit may have no answer: a request is answered BUSY when its deadline
 * passes, and UNAVAILABLE after a while before that. Both say that it was not executed, so that its sender, who may know by now who
 * serves it, can send it again in its time.
 */
final class Waiting {
    private static final long WAIT_NANOS_MAX = 1_000_000_000;

    private final Ingredients with;
    private final RangeSettings settings;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private long bytes;
    private boolean expiring;

    /** {@code begin} is told OK to go on, or why the request is refused. */
    private record Entry(long bytes, long deadlineNanos, long patienceNanos, Consumer<ErrorCode> begin) {}

    Waiting(Ingredients with) {
        this.with = with;
        this.settings = with.settings();
    }

    void add(long size, long deadlineNanos, Consumer<ErrorCode> begin) {
        if (bytes + size > settings.queueBytes()) {
            begin.accept(ErrorCode.BUSY);
            return;
        }
        with.metrics().requestsWaited.inc();
        bytes += size;
        entries.add(new Entry(size, deadlineNanos, with.loop().nanos() + WAIT_NANOS_MAX, begin));
        expireLater();
    }

    private void expireLater() {
        if (!expiring && !entries.isEmpty()) {
            expiring = true;
            with.loop().schedule(settings.expiryNanos(), this::expire);
        }
    }

    private void expire() {
        expiring = false;
        long now = with.loop().nanos();
        for (int left = entries.size(); left > 0; left--) {
            Entry entry = entries.remove();
            if (now - entry.deadlineNanos() >= 0 || now - entry.patienceNanos() >= 0) {
                bytes -= entry.bytes();
                entry.begin().accept(now - entry.deadlineNanos() >= 0 ? ErrorCode.BUSY : ErrorCode.UNAVAILABLE);
            } else {
                entries.add(entry);
            }
        }
        expireLater();
    }

    /** Begins them in the order of their coming: each with what its range can do for a request of that deadline now. */
    void begin(Judge judge) {
        while (!entries.isEmpty()) {
            Entry entry = entries.remove();
            bytes -= entry.bytes();
            entry.begin().accept(judge.availability(entry.deadlineNanos()));
        }
    }

    /** What a range can do for a request now. */
    interface Judge {
        ErrorCode availability(long deadlineNanos);
    }
}
