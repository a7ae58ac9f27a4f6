package cleave.deploy.inspect;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All threads of this process as text: what each does, what it waits for and who holds that, and the time that it has had of a processor.
 * Those that were busiest while the dump was made come first. Stateless.
 *
 * <p>It stops all threads for some milliseconds. Owners of java.util.concurrent locks are named where a thread waits for one; a list of all
 * locks that a thread holds would need a walk through the heap.
 */
public final class ThreadDump {
    /** The time between two readings of the processor time. */
    private static final long SAMPLE_MILLIS = 250;

    private static final int FRAMES_MAX = 256;
    private static final double NANOS_PER_SECOND = 1e9;

    private ThreadDump() {}

    /** Takes a quarter of a second, to see who is busy. */
    public static String take() throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Long, Long> before = cpuNanos(threads);
        long began = System.nanoTime();
        new CountDownLatch(1).await(SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        Map<Long, Long> after = cpuNanos(threads);
        long sampled = System.nanoTime() - began;
        ThreadInfo[] all = threads.dumpAllThreads(true, false, FRAMES_MAX);
        Map<Long, Double> shares = new HashMap<>();
        after.forEach((id, nanos) -> shares.put(id, (nanos - before.getOrDefault(id, nanos)) / (double) sampled));
        return text(threads, all, after, shares);
    }

    private static String text(
            ThreadMXBean threads, ThreadInfo[] all, Map<Long, Long> cpuNanos, Map<Long, Double> shares) {
        StringBuilder out = new StringBuilder();
        out.append(all.length)
                .append(" threads of process ")
                .append(ProcessHandle.current().pid())
                .append("; cpu: processor time since its start, and its share of one processor over the last ")
                .append(SAMPLE_MILLIS)
                .append(" ms\n");
        long[] deadlocked = threads.findDeadlockedThreads();
        if (deadlocked != null) {
            out.append("DEADLOCK of the threads ")
                    .append(Arrays.toString(deadlocked))
                    .append('\n');
        }
        Arrays.stream(all)
                .sorted(Comparator.comparing((ThreadInfo info) -> -shares.getOrDefault(info.getThreadId(), 0.0))
                        .thenComparing(ThreadInfo::getThreadName)
                        .thenComparing(ThreadInfo::getThreadId))
                .forEach(info -> append(
                        out, info, cpuNanos.get(info.getThreadId()), shares.getOrDefault(info.getThreadId(), 0.0)));
        return out.toString();
    }

    private static void append(StringBuilder out, ThreadInfo info, @Nullable Long cpuNanos, double share) {
        out.append('\n')
                .append('"')
                .append(info.getThreadName())
                .append("\" #")
                .append(info.getThreadId())
                .append(info.isDaemon() ? " daemon" : "");
        if (cpuNanos != null) {
            out.append(String.format(Locale.ROOT, " cpu=%.2fs %.0f%%", cpuNanos / NANOS_PER_SECOND, 100 * share));
        }
        out.append(' ').append(info.getThreadState());
        LockInfo lock = info.getLockInfo();
        if (lock != null) {
            out.append(info.getThreadState() == Thread.State.BLOCKED ? " blocked on " : " waits for ")
                    .append(lock);
        }
        if (info.getLockOwnerName() != null) {
            out.append(", held by \"")
                    .append(info.getLockOwnerName())
                    .append("\" #")
                    .append(info.getLockOwnerId());
        }
        out.append('\n');
        StackTraceElement[] frames = info.getStackTrace();
        for (int depth = 0; depth < frames.length; depth++) {
            out.append("    at ").append(frames[depth]).append('\n');
            for (MonitorInfo held : info.getLockedMonitors()) {
                if (held.getLockedStackDepth() == depth) {
                    out.append("    - holds ").append(held).append('\n');
                }
            }
        }
        if (frames.length == FRAMES_MAX) {
            out.append("    ... more frames were left out\n");
        }
    }

    private static Map<Long, Long> cpuNanos(ThreadMXBean threads) {
        Map<Long, Long> nanos = new HashMap<>();
        if (threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()) {
            for (long id : threads.getAllThreadIds()) {
                long used = threads.getThreadCpuTime(id);
                if (used >= 0) {
                    nanos.put(id, used);
                }
            }
        }
        return nanos;
    }
}
