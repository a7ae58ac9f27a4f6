package cleave.deploy.role;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that the threads of this process have allocated on its heap since it began. Thread-safe; the cost of a question grows with the
 * number of threads. Java counts the bytes itself. Before Java 21 it does so for living threads only, so the bytes that a thread allocates
 * after the last question before its end are missing.
 */
final class AllocatedBytes {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final @Nullable Method ofAll = ofAll();
    private final Map<Long, Long> ofThreads = new ConcurrentHashMap<>();
    private final AtomicLong summed = new AtomicLong();

    /** New in Java 21. */
    private static @Nullable Method ofAll() {
        try {
            return ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    long soFar() {
        if (ofAll == null) {
            return summed();
        }
        try {
            return (Long) ofAll.invoke(threads);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Never falls, though threads end. */
    private long summed() {
        long[] living = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(living);
        for (int i = 0; i < living.length; i++) {
            if (bytes[i] > 0) {
                Long before = ofThreads.put(living[i], bytes[i]);
                summed.addAndGet(before == null ? bytes[i] : Math.max(0, bytes[i] - before));
            }
        }
        Set<Long> kept = LongStream.of(living).boxed().collect(Collectors.toSet());
        ofThreads.keySet().retainAll(kept);
        return summed.get();
    }
}
