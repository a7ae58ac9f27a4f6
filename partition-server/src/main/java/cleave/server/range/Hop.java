package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Brings the end of outside work back into a loop. */
public final class Hop {
    private Hop() {}

    /** Calls {@code end} inside the loop with the result or, if there is none, the failure, unwrapped. */
    public static <T> void back(
            EventLoop loop, CompletableFuture<T> work, BiConsumer<@Nullable T, @Nullable Throwable> end) {
        work.whenComplete((result, failure) -> loop.submit(() -> end.accept(result, unwrap(failure))));
    }

    public static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
