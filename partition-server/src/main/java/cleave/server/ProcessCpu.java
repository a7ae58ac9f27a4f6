package cleave.server;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.DoubleSupplier;

/** The processor time that this process uses, in cores, over the last second or so. Confined to one thread. */
final class ProcessCpu implements DoubleSupplier {
    private static final long WINDOW_NANOS = 1_000_000_000L;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long since = System.nanoTime();
    private long used = system.getProcessCpuTime();
    private double cores;

    @Override
    public double getAsDouble() {
        long now = System.nanoTime();
        if (now - since >= WINDOW_NANOS) {
            long usedNow = system.getProcessCpuTime();
            cores = Math.max(0, (usedNow - used) / (double) (now - since));
            since = now;
            used = usedNow;
        }
        return cores;
    }
}
