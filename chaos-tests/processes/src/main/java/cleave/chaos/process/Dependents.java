package cleave.chaos.process;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Processes that are of no use without this one: whatever ends it, short of SIGKILL, ends them, too. Thread-safe. */
public final class Dependents {
    private static final Set<ProcessHandle> LIVING = ConcurrentHashMap.newKeySet();

    /** Once it is true, nobody lives on. */
    private static volatile boolean isEnding;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Dependents::endAll, "end-of-dependents"));
    }

    private Dependents() {}

    /** Prepares what {@link #add} needs, for who may be told to end before the first one is added. */
    public static void load() {
        // The static part has run by now.
    }

    /** One that is added while this process ends is ended at once. */
    public static void add(ProcessHandle process) {
        LIVING.add(process);
        process.onExit().thenRun(() -> LIVING.remove(process));
        if (isEnding) {
            end(process);
        }
    }

    /** Ends them for good, for who ends this process, and waits until they are gone, but not for longer than this. */
    public static void endAll(Duration patience) {
        endAll();
        CompletableFuture.allOf(LIVING.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private static void endAll() {
        isEnding = true;
        LIVING.forEach(Dependents::end);
    }

    private static void end(ProcessHandle process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
