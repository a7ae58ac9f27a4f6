package cleave.chaos.process;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Processes that are of no use without this one: whatever ends it, short of SIGKILL, ends them, too. Thread-safe. */
public final class Dependents {
    private static final Set<ProcessHandle> LIVING = ConcurrentHashMap.newKeySet();

    static {
        Thread end = new Thread(() -> LIVING.forEach(ProcessHandle::destroyForcibly), "end-of-dependents");
        Runtime.getRuntime().addShutdownHook(end);
    }

    private Dependents() {}

    /** Must not be called once this process ends. */
    public static void add(ProcessHandle process) {
        LIVING.add(process);
        process.onExit().thenRun(() -> LIVING.remove(process));
    }
}
