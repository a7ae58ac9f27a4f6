package cleave.chaos.sim.world;

/** Sees what happens in a world, and changes nothing. Times are virtual nanoseconds. Confined to the simulation. */
public interface Camera {
    /** A message could arrive, but a script decides when; it may hold it until the end. */
    void shown(long sentNanos, long nanos, Message message);

    /** A message has arrived. */
    void arrived(long sentNanos, long nanos, Message message);

    /**
     * A message will not arrive: it was lost, or its connection broke. One that a script was shown was sent when it was shown to have
     * been.
     */
    void lost(long sentNanos, long nanos, Message message);

    void noted(long nanos, String node, String what, String detail);

    /** A fault struck, and whom. */
    void struck(long nanos, String fault);

    /** What a story is about begins, or ends. */
    void scene(long nanos, boolean begins);

    /** A story says what happens. */
    void said(long nanos, String sentence);

    void paused(long nanos, String node, long untilNanos);

    /** Messages between two nodes wait from now on, or go again. */
    void blocked(long nanos, String from, String to, boolean isBlocked);

    void violated(long nanos, Finding finding);

    /** An event has ended, and the world may look different. */
    void looks(long nanos);
}
