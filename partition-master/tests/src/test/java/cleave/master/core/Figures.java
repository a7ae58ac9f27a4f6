package cleave.master.core;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What measurements take and print: processor time of this thread, and the live heap. */
public final class Figures {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Figures() {}

    /** The processor time of this work, in nanoseconds. */
    public static long cpu(Runnable work) {
        long began = THREADS.getCurrentThreadCpuTime();
        work.run();
        return THREADS.getCurrentThreadCpuTime() - began;
    }

    /** In MiB. */
    public static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
    }

    public static String millis(long nanos) {
        return String.format("%,.1f ms", nanos / 1e6);
    }

    public static void print(String format, Object... values) {
        System.out.printf(format + "%n", values);
    }
}
