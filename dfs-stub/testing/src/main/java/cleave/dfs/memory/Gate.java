package cleave.dfs.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Lets calls and answers through, or holds them until a test releases them. Confined to one thread. */
public final class Gate {
    private final List<Runnable> waiting = new ArrayList<>();
    private Predicate<String> held = path -> false;

    /** Holds all that come from now on. */
    public void hold() {
        hold(path -> true);
    }

    /** Holds those for these paths that come from now on. */
    public void hold(Predicate<String> paths) {
        held = paths;
    }

    /** Lets all through that wait, in order, and those that come from now on. */
    public void release() {
        held = path -> false;
        List<Runnable> released = List.copyOf(waiting);
        waiting.clear();
        released.forEach(Runnable::run);
    }

    void pass(String path, Runnable call) {
        if (held.test(path)) {
            waiting.add(call);
        } else {
            call.run();
        }
    }

    /** The same answer, once it is through. */
    public <T> CompletableFuture<T> pass(String path, CompletableFuture<T> answer) {
        CompletableFuture<T> through = new CompletableFuture<>();
        pass(
                path,
                () -> answer.whenComplete((value, failure) -> {
                    if (failure == null) {
                        through.complete(value);
                    } else {
                        through.completeExceptionally(failure);
                    }
                }));
        return through;
    }
}
