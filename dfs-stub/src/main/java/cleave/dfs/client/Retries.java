package cleave.dfs.client;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.Failures;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Retries calls that failed because no node could be reached, with growing delays, up to a limit. Confined to the client's loop. */
final class Retries {
    private final EventLoop loop;
    private final Random random;
    private final ClientLimits limits;
    private final Backoff backoff;
    private final Set<Attempts<?>> underWay = new LinkedHashSet<>(); // By identity.
    private boolean closed;

    Retries(EventLoop loop, Random random, ClientLimits limits) {
        this.loop = loop;
        this.random = random;
        this.limits = limits;
        this.backoff = new Backoff(limits.retryNanosMin(), limits.retryNanosMax());
    }

    /** The delay before the next attempt. */
    long delayNanos(int failures) {
        return backoff.nanos(failures + 1, random);
    }

    /** Callable on any thread; each attempt begins inside the loop. */
    <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt) {
        return run(what, attempt, late -> {});
    }

    /** @param unwanted gets a result that arrives after the caller gave up */
    <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt, Consumer<T> unwanted) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.submit(() -> begin(new Attempts<>(what, attempt, unwanted, result)));
        return result;
    }

    private <T> void begin(Attempts<T> attempts) {
        if (closed) {
            attempts.result.completeExceptionally(new DfsException(Reason.BROKEN, "the DFS was closed"));
            return;
        }
        underWay.add(attempts);
        attempts.bound = loop.schedule(limits.boundNanos(), attempts::giveUp);
        attempts.begin();
    }

    void close() {
        loop.assertInside();
        closed = true;
        for (Attempts<?> attempts : new ArrayList<>(underWay)) {
            attempts.result.completeExceptionally(new DfsException(Reason.BROKEN, "the DFS was closed"));
        }
        underWay.clear();
    }

    private final class Attempts<T> {
        private final String what;
        private final Supplier<CompletableFuture<T>> attempt;
        private final Consumer<T> unwanted;
        private final CompletableFuture<T> result;
        private EventLoop.@Nullable Timer bound;
        private @Nullable Throwable last;
        private int failures;

        Attempts(
                String what,
                Supplier<CompletableFuture<T>> attempt,
                Consumer<T> unwanted,
                CompletableFuture<T> result) {
            this.what = what;
            this.attempt = attempt;
            this.unwanted = unwanted;
            this.result = result;
        }

        void begin() {
            if (!result.isDone()) {
                attempt.get().whenComplete((value, failure) -> loop.submit(() -> ended(value, failure)));
            }
        }

        private void ended(@Nullable T value, @Nullable Throwable failure) {
            if (failure == null) {
                finish();
                if (!result.complete(value) && value != null) {
                    unwanted.accept(value);
                }
            } else if (Failures.reason(failure) == Reason.UNAVAILABLE) {
                last = failure;
                failures++;
                loop.schedule(delayNanos(failures), this::begin);
            } else {
                finish();
                result.completeExceptionally(Failures.cause(failure));
            }
        }

        private void giveUp() {
            finish();
            Throwable cause = last;
            result.completeExceptionally(
                    cause == null
                            ? new DfsException(Reason.UNAVAILABLE, what + " was not answered")
                            : new DfsException(Reason.UNAVAILABLE, what + ": " + cause.getMessage(), cause));
        }

        private void finish() {
            underWay.remove(this);
            if (bound != null) {
                bound.cancel();
            }
        }
    }
}
