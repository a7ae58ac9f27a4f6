package cleave.runtime.settings;

import cleave.runtime.settings.Settings.BadSetting;
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The memory that this process may use at most, against that of its container or machine. In bytes. Immutable.
 *
 * @param limit of the container, or of the machine where no container has one
 * @param heap the most that the heap grows to
 * @param direct the most that network buffers outside of the heap grow to
 * @param stores the cache and memtables of RocksDB
 */
public record ProcessMemory(long limit, long heap, long direct, long stores) {
    /** The JVM itself: code, metadata, stacks, and what libraries allocate; 110 to 150 MiB in a server under load. */
    static final long JVM_BYTES = 160L << 20;

    private static final long MIB = 1 << 20;

    /** The memory of this process, whose stores may use that much. */
    public static ProcessMemory withStores(long stores) {
        long heap = Runtime.getRuntime().maxMemory();
        return new ProcessMemory(limitBytes(), heap, directBytes(heap), stores);
    }

    /** The container's limit as cgroups show it, else the memory of the machine. */
    public static long limitBytes() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    /** The size of the heap, unless the JVM was given a number; Netty counts its buffers against the same. */
    private static long directBytes(long heap) {
        long told = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
        return told > 0 ? told : heap;
    }

    public long sum() {
        return heap + direct + stores + JVM_BYTES;
    }

    /** BadSetting, with the sum, if the process could be killed for the memory that it uses. */
    public ProcessMemory check() {
        if (sum() > limit) {
            throw new BadSetting("this process may come to use more memory than there is: " + this
                    + "; lower the heap (-Xmx or -XX:MaxRAMPercentage), the network buffers (-XX:MaxDirectMemorySize)"
                    + (stores > 0 ? " or server.block-cache" : "") + ", or give it more memory");
        }
        return this;
    }

    /** The sum, for people. */
    @Override
    public String toString() {
        return "heap " + mib(heap) + " + network buffers " + mib(direct)
                + (stores > 0 ? " + server.block-cache " + mib(stores) : "") + " + the JVM itself " + mib(JVM_BYTES)
                + " = " + mib(sum()) + " of " + mib(limit);
    }

    private static String mib(long bytes) {
        return (bytes + MIB - 1) / MIB + " MiB";
    }
}
