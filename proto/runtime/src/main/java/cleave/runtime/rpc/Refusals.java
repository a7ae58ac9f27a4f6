package cleave.runtime.rpc;

import java.util.concurrent.atomic.LongAdder;

/** The calls, and the requests of operators, that this process has refused to their callers. Thread-safe. */
public final class Refusals {
    private static final LongAdder COUNT = new LongAdder();

    private Refusals() {}

    /** Counts one. */
    public static void count() {
        COUNT.increment();
    }

    /** Since the process began. */
    public static long soFar() {
        return COUNT.sum();
    }
}
