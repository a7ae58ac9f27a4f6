package cleave.server.outside;

import cleave.runtime.loop.Backoff;

/** How long a server waits before it asks the outside again for what failed. */
public final class Backoffs {
    /** For calls to the DFS and to masters. */
    public static final Backoff CALLS = new Backoff(20_000_000L, 2_000_000_000L);
    /** For streams of heartbeats, which must be back soon. */
    public static final Backoff STREAMS = new Backoff(20_000_000L, 200_000_000L);
    /** For whole attempts to open a range. */
    public static final Backoff OPENINGS = new Backoff(100_000_000L, 20_000_000_000L);

    private Backoffs() {}
}
