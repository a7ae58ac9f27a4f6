package cleave.dfs.node;

import java.util.function.LongConsumer;

/**
 * The disk work of a node, outside of its loop. A failed write is retried until it succeeds; a failed sync ends the
 * process. Completions are called on any thread.
 */
public interface NodeIo {
    /** Writes the group into the journal and syncs it; one group at a time. The first group of a segment creates the file. */
    void commit(JournalGroup group, Runnable done);

    /** Executes work on extent files, in the order of calls. */
    void execute(ExtentWork work, Runnable done);

    /** Answers with the number of free bytes on the disk; does not answer if it is unknown. */
    void measure(LongConsumer free);
}
