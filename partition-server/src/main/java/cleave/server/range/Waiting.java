package cleave.server.range;

import cleave.server.settings.RangeSettings;
import cleave.wire.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Requests that arrived during the switch of a handoff, at the old owner of their range or at the new one. Each is told when the switch
 * has ended, or BUSY if its deadline passes first. Confined to the range's loop. Bounded in number and in bytes.
 */
final class Waiting {
    private final RangeContext with;
    private final RangeSettings settings;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private long bytes;
    private boolean expiring;

    /** {@code end} is told OK to go on, or why the request is refused. */
    private record Entry(long bytes, long deadlineNanos, Consumer<ErrorCode> end) {}

    Waiting(RangeContext with) {
        this.with = with;
        this.settings = with.settings();
    }

    void add(long size, long deadlineNanos, Consumer<ErrorCode> end) {
        if (bytes + size > settings.queueBytes() || entries.size() >= settings.queueRequests()) {
            end.accept(ErrorCode.BUSY);
            return;
        }
        with.metrics().requestsWaited.inc();
        bytes += size;
        entries.add(new Entry(size, deadlineNanos, end));
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
            if (now - entry.deadlineNanos() >= 0) {
                bytes -= entry.bytes();
                entry.end().accept(ErrorCode.BUSY);
            } else {
                entries.add(entry);
            }
        }
        expireLater();
    }

    /** Tells them, in the order of their coming. */
    void end(ErrorCode code) {
        while (!entries.isEmpty()) {
            Entry entry = entries.remove();
            bytes -= entry.bytes();
            entry.end().accept(code);
        }
    }
}
