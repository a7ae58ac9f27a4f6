package cleave.dfs.link;

/** Receives a node's answers for one client, in order. Implementations are thread-safe and do not block. */
public interface SessionEvents {
    /** The extent is on stable storage up to a length. */
    void durable(long extent, long length);

    /**
     * How long an append took that asked for it; comes before the length that contains it.
     *
     * @param length of the extent behind the append
     * @param queueMicros from its arrival until the disk got it
     * @param syncMicros from then until it was on stable storage
     */
    void timed(long extent, long length, int queueMicros, int syncMicros);

    /** The barrier with this tag was not refused. */
    void passed(long tag);

    /** An append or barrier, and all later ones to the extent, were not executed. */
    void refused(long extent, ExtentStatus status);

    /** No more answers follow now, so gathered ones can be sent. */
    void flush();
}
