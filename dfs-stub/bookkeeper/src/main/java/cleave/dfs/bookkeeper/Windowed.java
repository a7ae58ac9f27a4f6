package cleave.dfs.bookkeeper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Asks for many things, some at a time. */
final class Windowed {
    private Windowed() {}

    /** The answers, in the order of the questions; the first failure, if there is one. At most {@code window} are asked at once. */
    static <Q, A> CompletableFuture<List<A>> map(List<Q> questions, int window, Function<Q, CompletableFuture<A>> ask) {
        List<A> answers = new ArrayList<>(Arrays.asList(emptyAnswers(questions.size())));
        AtomicInteger next = new AtomicInteger();
        CompletableFuture<?>[] lanes = new CompletableFuture<?>[Math.min(window, questions.size())];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = lane(questions, answers, next, ask);
        }
        return CompletableFuture.allOf(lanes).thenApply(done -> answers);
    }

    @SuppressWarnings("unchecked")
    private static <A> A[] emptyAnswers(int size) {
        return (A[]) new Object[size];
    }

    /** Loops over answers that are there at once, so that many of them do not nest. */
    private static <Q, A> CompletableFuture<Void> lane(
            List<Q> questions, List<A> answers, AtomicInteger next, Function<Q, CompletableFuture<A>> ask) {
        for (int i = next.getAndIncrement(); i < questions.size(); i = next.getAndIncrement()) {
            int at = i;
            CompletableFuture<Void> answered =
                    ask.apply(questions.get(i)).thenAccept(answer -> answers.set(at, answer));
            if (!answered.isDone() || answered.isCompletedExceptionally()) {
                return answered.thenCompose(done -> lane(questions, answers, next, ask));
            }
        }
        return CompletableFuture.completedFuture(null);
    }
}
