package cleave.frontend.settings;

import cleave.runtime.settings.Settings.BadSetting;

/**
 * The memory that clients of a front end can occupy, checked against its heap. Immutable. Network buffers lie outside of the heap, where
 * the virtual machine permits as much as inside, so what fits the heap fits there.
 *
 * @param heapBytes the most that the heap grows to
 */
record MemoryBudget(long heapBytes, long connections, long bytesInFlight) {
    /**
     * Memory of a connection beyond its requests: the state of TLS and HTTP/2 (about 40 KiB), one read and the rest of a TLS record (16 KiB
     * each), and unread output (64 KiB, at which reading stops).
     */
    static final long CONNECTION_BYTES = 136 << 10;

    private static final long MIB = 1 << 20;
    private static final int CONNECTIONS_MAX = 10_000;
    private static final long BYTES_IN_FLIGHT_MAX = 256 * MIB;

    /** Defaults for a heap. */
    static MemoryBudget fitting(long heapBytes) {
        return withBytes(heapBytes, Math.min(BYTES_IN_FLIGHT_MAX, heapBytes / 4));
    }

    /** The default number of connections for these bytes in flight. */
    static MemoryBudget withBytes(long heapBytes, long bytesInFlight) {
        long left = usable(heapBytes) - bytesInFlight - unsigned(bytesInFlight);
        return new MemoryBudget(
                heapBytes, Math.min(CONNECTIONS_MAX, Math.max(1, left / CONNECTION_BYTES)), bytesInFlight);
    }

    private static long usable(long heapBytes) {
        return heapBytes / 4 * 3;
    }

    /** For heads and frames that are not authenticated yet. */
    static long unsigned(long bytesInFlight) {
        return bytesInFlight / 4;
    }

    private long sum() {
        return connections * CONNECTION_BYTES + bytesInFlight + unsigned(bytesInFlight);
    }

    /** BadSetting, with the sum, if it does not fit. */
    void check() {
        if (sum() > usable(heapBytes)) {
            throw new BadSetting("front-end.connections=" + connections + " of " + (CONNECTION_BYTES >> 10)
                    + " KiB each, front-end.bytes-in-flight=" + mib(bytesInFlight)
                    + " and a quarter of that for unauthenticated requests add up to " + mib(sum())
                    + ", which exceeds 3/4 of the heap of " + mib(heapBytes) + ", that is " + mib(usable(heapBytes))
                    + ": lower one of them, or start the process with -Xmx" + (sum() * 4 / 3 / MIB + 1) + "m");
        }
    }

    private static String mib(long bytes) {
        return bytes % MIB == 0
                ? bytes / MIB + " MiB"
                : String.format(java.util.Locale.ROOT, "%.1f MiB", bytes / (double) MIB);
    }
}
