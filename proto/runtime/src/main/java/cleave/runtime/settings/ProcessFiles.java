package cleave.runtime.settings;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The files that this process may have open, connections among them: those of stores, of clients, and all others. Stateless. */
public final class ProcessFiles {
    /** Libraries, logs, journals, channels to other processes, 64 connections of the admin port: a standalone has 100 of them when idle. */
    private static final int OTHERS = 224;
    /** The number that its network loops take. */
    private static final int OTHERS_PER_PROCESSOR = 12;

    private ProcessFiles() {}

    /** The limit of this process; unlimited where the system does not report it. */
    public static long limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    /** The files of a limit that stores leave: they take three quarters. */
    public static long besideStores(long limit) {
        return limit - limit / 4 * 3;
    }

    /** The number of clients' connections that fit into the files that stores leave; not positive if none fits. */
    public static long connections(long files) {
        return files
                - OTHERS
                - (long) OTHERS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
    }
}
