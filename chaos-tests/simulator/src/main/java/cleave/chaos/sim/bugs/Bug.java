package cleave.chaos.sim.bugs;

import java.util.Arrays;
import java.util.List;

/**
 * A bug planted on purpose, to prove that the checks find it: each breaks one rule of the production code, on the simulator's side
 * of an interface, where nothing else can reach. Immutable.
 */
public enum Bug {
    /** The production code, unchanged. */
    NONE,
    /** A takeover reads its logs without sealing them. */
    SEAL_SKIPPED,
    /** A read is answered without a barrier, which would show that the log was sealed. */
    BARRIER_SKIPPED,
    /** An append counts as durable as soon as it is sent. */
    ACKNOWLEDGED_BEFORE_DURABLE,
    /** The masters accept a command that was built on an older version of a row, if the epoch is the same. */
    EPOCH_COMPARED_FOR_VERSION,
    /** A restarted process continues as its previous incarnation, with the logs as they are. */
    RANGES_KEPT_BY_A_RESTARTED_PROCESS,
    /** A refusal is sent before the record that it depends on is durable. */
    REFUSAL_OUT_OF_ORDER,
    /** A durable record that awaits its answer is refused if the next log is sealed below the record's offset in its own log. */
    DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG,
    /** After an append of unknown outcome, the same record is appended again to the same log. */
    WRITTEN_BEHIND_UNKNOWN_APPEND,
    /** A takeover replays what it read from an open log, although the seal then cut it off. */
    OPEN_FILE_READ_BEYOND_ACKNOWLEDGED,
    /** A takeover replays beyond the sealed length. */
    REPLAY_PAST_THE_SEAL,
    /** A takeover replays less than the sealed length. */
    REPLAY_CUT_SHORT,
    /** A changed entity keeps its old timestamp. */
    TIMESTAMP_REPEATED,
    /** Only the first operation of a transaction is applied. */
    TRANSACTION_TORN,
    /** A scan ends before the last key of a range. */
    SCAN_ENDS_EARLY,
    /** A scan that has reached the end of a range continues where the front end's own map says the range ends. */
    SCAN_CONTINUED_FROM_OWN_MAP,
    /** A write that may have been executed is sent again. */
    WRITE_RETRIED_AFTER_UNKNOWN_ANSWER,
    /** A server that deletes an obsolete file also deletes the newest file that it created. */
    REACHABLE_FILE_SWEPT,
    /** A server whose commit was not answered, or was refused when it was repeated, deletes its manifest, as if it had never been executed. */
    UNKNOWN_COMMIT_TAKEN_FOR_REFUSED,
    /** A table is dropped by all its ranges but the first. */
    DROP_FORGETS_A_RANGE,
    /** A sweep deletes unreferenced files of an epoch that has not ended, such as those of a handoff in preparation. */
    PREPARED_FILE_SWEPT,
    /** A store that is opened from several checkpoints includes what they contain outside their intervals. */
    INTERVAL_IGNORED_BY_A_MERGE,
    /** A checkpoint has inline files before the cluster has reached their level, so earlier versions cannot read its manifest. */
    INLINE_BEFORE_ITS_LEVEL,
    /** A store uploads what is in its local files, whether it is what was written or not. */
    UPLOAD_NOT_VERIFIED,
    /** The target of a move serves while its source still does, as if the source had stopped and its log were sealed. */
    COMMITTED_WITHOUT_WORD,
    /** A move that was given up because its source had to publish is still committed, for the version after that publish. */
    COMMITTED_OVER_A_PUBLISH,
    /** A source whose commit has an unknown outcome continues in a new log that it has not published. */
    RESUMED_BEFORE_PUBLISHING,
    /** A server that opens a range from another's manifest ignores which tables were dropped. */
    DROP_FORGOTTEN_BY_A_CHILD,
    /** The masters assign a range to a dead incarnation. */
    MOVED_TO_A_DEAD_SERVER,
    /** A server deletes a file that it failed to create because the path belongs to another cluster. */
    FILE_OF_OTHERS_DELETED,
    /** The DFS node forgets that a path was deleted, so a late create or seal creates a file. */
    DELETED_PATH_CREATED_AGAIN,
    /** The DFS node refuses files of earlier incarnations of a server, although they were not deleted. */
    LIVING_FILE_REFUSED,
    /** A master skips a command that it does not know. */
    UNKNOWN_COMMAND_SKIPPED,
    /** A server that opens a range assigns timestamps by its own clock alone, even below those that the range has assigned before. */
    TIMESTAMPS_FROM_THE_CLOCK_ALONE,
    /** A server bounds its timestamps by its own clock, which may run ahead, instead of the leader's. */
    OWN_CLOCK_TAKEN_FOR_THE_LEADERS,
    /** A leader that has corrected its clock applies the correction to new servers when no server is left to confirm it. */
    CLOCK_CORRECTION_KEPT,
    /** A master that has lost its folder votes, although it has no log. */
    EMPTY_PEER_VOTES,
    /** A removed master continues to vote, and its vote counts as that of a member. */
    REMOVED_MEMBER_VOTES,
    /** A master that is being added counts before it has received the log. */
    EMPTY_NEWCOMER_COUNTS,
    /** A leader and its sweep assume that their map is the newest, whatever the files of the DFS show. */
    MAP_TAKEN_FOR_THE_NEWEST,
    /** A server whose disk is full reports neither that nor its failing stores, so it keeps its ranges and receives more. */
    FULL_SERVER_GETS_RANGES,
    /** A server answers calls that were meant for a server of another cluster. */
    ANSWERED_BY_ANOTHER_CLUSTER,
    /** The engine of the DFS forgets the fence of a file as soon as the file is deleted. */
    FENCE_FORGOTTEN_AT_ONCE,
    /** A handle trusts an engine that forgets fences, no matter how long ago the file was last known to exist. */
    OLD_NAME_TRUSTED,
    /** A server whose log breaks by itself assumes that it contains nothing of what was in flight. */
    BROKEN_LOG_TAKEN_FOR_UNWRITTEN,
    /** A source whose log is sealed for a handoff tells the target how much of it was visible, instead of its sealed length. */
    VISIBLE_END_TAKEN_FOR_SEALED_LENGTH,
    /** Servers and leaders that use another DFS than the cluster's are taken for ones that use it. */
    DFS_NOT_COMPARED,
    /** Servers that were registered on the DFS before a copy took its place stay live. */
    SERVERS_KEPT_WHEN_THE_DFS_MOVES,
    /** A leader goes on in a copy of the DFS, although the cluster went on in the original after that was copied. */
    OUTDATED_COPY_TAKEN_FOR_THE_DFS;

    public static final List<Bug> ALL =
            Arrays.stream(values()).filter(bug -> bug != NONE).toList();
}
