package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.state.Paths;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls to the engine: they wait until it is connected, and are repeated as {@link Retries} permits. Thread-safe. */
final class Calls {
    private final Retries retries;
    private volatile @Nullable Engine engine;
    private volatile DfsException failure = notReached("still connecting");

    Calls(Retries retries) {
        this.retries = retries;
    }

    /** Lets calls reach this engine from now on. */
    void connected(Engine reached) {
        engine = reached;
    }

    /** It is tried again: calls wait. */
    void notConnected(String why) {
        failure = notReached(why);
    }

    private static DfsException notReached(String why) {
        return new DfsException(Reason.UNAVAILABLE, "BookKeeper was not reached yet (" + why + ")");
    }

    /** It is not tried again: calls fail. */
    void cannotConnect(Throwable why) {
        failure = new DfsException(Reason.BROKEN, "this process cannot connect to BookKeeper: " + why, why);
    }

    /** Null before it is connected. */
    @Nullable
    Engine engine() {
        return engine;
    }

    Retries retries() {
        return retries;
    }

    <T> CompletableFuture<T> run(String what, Function<Engine, CompletableFuture<T>> call) {
        return retries.run(what, () -> with(call));
    }

    /** Runs a call for a path; INVALID if the path is malformed. */
    <T> CompletableFuture<T> run(String what, String path, Function<Engine, CompletableFuture<T>> call) {
        return checked(path, () -> run(what + " " + path, call));
    }

    static <T> CompletableFuture<T> checked(String path, Supplier<CompletableFuture<T>> call) {
        return Paths.isWellFormed(path) ? call.get() : Failures.failed(Reason.INVALID, "malformed path '" + path + "'");
    }

    /** One attempt. */
    <T> CompletableFuture<T> with(Function<Engine, CompletableFuture<T>> call) {
        Engine connected = engine;
        return connected == null ? CompletableFuture.failedFuture(failure) : call.apply(connected);
    }
}
