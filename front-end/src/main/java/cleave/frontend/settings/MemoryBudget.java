package cleave.frontend.settings;

import cleave.runtime.settings.Settings.BadSetting;

/**
 * What the clients of a front end can make it keep, held against its heap. Immutable. Network buffers lie outside of the heap, where
 * the virtual machine permits as much as inside, so what fits the heap fits there.
 *
 * @param heapBytes the most that the heap grows to
 */
record MemoryBudget(long heapBytes, long connections, long bytesInFlight) {
    /**
     * What a connection takes beyond requests: the state of TLS and HTTP/2 (about 40 KiB), what one reading brings and what is left of
     * a TLS record (16 KiB each), and what is sent and not taken (64 KiB, when reading stops).
     */
    static final long CONNECTION_BYTES = 136 << 10;

    private static final long MIB = 1 << 20;
    private static final int CONNECTIONS_MAX = 10_000;
    private static final long BYTES_IN_FLIGHT_MAX = 256 * MIB;

    /** Of a heap, where neither is given. */
    static MemoryBudget fitting(long heapBytes) {
        return withBytes(heapBytes, Math.min(BYTES_IN_FLIGHT_MAX, heapBytes / 4));
    }

    /** Where only the bytes are given. */
    static MemoryBudget withBytes(long heapBytes, long bytesInFlight) {
        long left = usable(heapBytes) - bytesInFlight - unsigned(bytesInFlight);
        return new MemoryBudget(
                heapBytes, Math.min(CONNECTIONS_MAX, Math.max(1, left / CONNECTION_BYTES)), bytesInFlight);
    }

    private static long usable(long heapBytes) {
        return heapBytes / 4 * 3;
    }

    /** Of heads and frames that nobody has signed, beside what is signed. */
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
                    + " and a quarter of that for what is not signed yet are " + mib(sum())
                    + ", but may take 3/4 of the heap of " + mib(heapBytes) + ", which is " + mib(usable(heapBytes))
                    + ": lower one of them, or give the process -Xmx" + (sum() * 4 / 3 / MIB + 1) + "m");
        }
    }

    private static String mib(long bytes) {
        return bytes % MIB == 0
                ? bytes / MIB + " MiB"
                : String.format(java.util.Locale.ROOT, "%.1f MiB", bytes / (double) MIB);
    }
}
