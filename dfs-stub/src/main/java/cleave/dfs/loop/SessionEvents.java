package cleave.dfs.loop;

/** What a node tells one client, in the order in which it happened. Implementations are thread-safe and do not block. */
public interface SessionEvents {
    /** The extent is on stable storage up to a length. */
    void durable(long extent, long length);

    /** The barrier with this tag was not refused. */
    void passed(long tag);

    /** An append or barrier, and all later ones to the extent, were not executed. */
    void refused(long extent, ExtentVerdict verdict);

    /** Nothing more comes at this moment: what was gathered can be sent. */
    void flush();
}
