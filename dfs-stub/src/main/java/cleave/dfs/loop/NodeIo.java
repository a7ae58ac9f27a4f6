package cleave.dfs.loop;

import java.util.function.LongConsumer;

/**
 * The disk work of a node, done outside of its loop. What cannot be written now is tried again until it can; what was written and
 * cannot be synced ends the process. Completions are called on any thread.
 */
public interface NodeIo {
    /** Writes the group into the journal and syncs it; one group at a time. A group that begins a segment makes the file first. */
    void commit(JournalGroup group, Runnable done);

    /** Does work on extent files; in the order of calls. */
    void execute(ExtentWork work, Runnable done);

    /** Answers how many bytes are free on the disk; does not answer if that cannot be known now. */
    void measure(LongConsumer free);
}
