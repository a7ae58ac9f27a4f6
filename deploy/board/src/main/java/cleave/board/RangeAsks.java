package cleave.board;

import cleave.board.Source.Unheard;
import cleave.board.http.Unusable;
import cleave.wire.StatusReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Questions of viewers about single ranges. All that come within a second are one call to the leader, whatever the number of viewers. Thread-safe.
 */
final class RangeAsks implements AutoCloseable {
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int WAITING_MAX = 256;

    private final Source source;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "board asks");
        made.setDaemon(true);
        return made;
    });
    private Map<Long, CompletableFuture<StatusReply>> waiting = new TreeMap<>();
    private long next = System.nanoTime();

    RangeAsks(Source source) {
        this.source = source;
    }

    /** What the leader says of a range; Unusable if it cannot be asked now. */
    synchronized CompletableFuture<StatusReply> ask(long range) {
        CompletableFuture<StatusReply> asked = waiting.get(range);
        if (asked != null) {
            return asked;
        }
        if (waiting.size() >= WAITING_MAX) {
            return CompletableFuture.failedFuture(new Unusable(503, "too many ranges are asked for; ask again"));
        }
        if (waiting.isEmpty()) {
            thread.schedule(this::askAll, Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        CompletableFuture<StatusReply> answer = new CompletableFuture<>();
        waiting.put(range, answer);
        return answer;
    }

    private synchronized Map<Long, CompletableFuture<StatusReply>> taken() {
        Map<Long, CompletableFuture<StatusReply>> all = waiting;
        waiting = new TreeMap<>();
        next = System.nanoTime() + BETWEEN_NANOS;
        return all;
    }

    private void askAll() {
        Map<Long, CompletableFuture<StatusReply>> all = taken();
        List<Long> ranges = new ArrayList<>(all.keySet());
        try {
            StatusReply reply = source.why(ranges);
            all.values().forEach(answer -> answer.complete(reply));
        } catch (Unheard silent) {
            all.values()
                    .forEach(answer ->
                            answer.completeExceptionally(new Unusable(503, String.valueOf(silent.getMessage()))));
        } catch (RuntimeException bug) {
            all.values().forEach(answer -> answer.completeExceptionally(bug));
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
