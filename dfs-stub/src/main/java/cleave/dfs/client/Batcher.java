package cleave.dfs.client;

import cleave.runtime.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Batches requests: while one call is under way, it collects the requests for the next. Confined to the loop, in which
 * answers arrive too.
 */
final class Batcher<Q, A> {
    private record Asked<Q, A>(Q question, CompletableFuture<A> answer) {}

    private static final int BATCH_MAX = 500;

    private final EventLoop loop;
    private final Function<List<Q>, CompletableFuture<List<A>>> call;
    private final ArrayDeque<Asked<Q, A>> waiting = new ArrayDeque<>();
    private boolean underWay;

    Batcher(EventLoop loop, Function<List<Q>, CompletableFuture<List<A>>> call) {
        this.loop = loop;
        this.call = call;
    }

    CompletableFuture<A> ask(Q question) {
        loop.assertInside();
        Asked<Q, A> asked = new Asked<>(question, new CompletableFuture<>());
        waiting.add(asked);
        callNext();
        return asked.answer();
    }

    private void callNext() {
        if (underWay || waiting.isEmpty()) {
            return;
        }
        List<Asked<Q, A>> batch = new ArrayList<>();
        while (!waiting.isEmpty() && batch.size() < BATCH_MAX) {
            batch.add(waiting.remove());
        }
        underWay = true;
        call.apply(batch.stream().map(Asked::question).toList())
                .whenComplete((answers, failure) -> loop.submit(() -> answered(batch, answers, failure)));
    }

    private void answered(List<Asked<Q, A>> batch, @Nullable List<A> answers, @Nullable Throwable failure) {
        underWay = false;
        callNext();
        for (int i = 0; i < batch.size(); i++) {
            if (answers == null || failure != null) {
                batch.get(i).answer().completeExceptionally(failure == null ? new NullPointerException() : failure);
            } else {
                batch.get(i).answer().complete(answers.get(i));
            }
        }
    }
}
