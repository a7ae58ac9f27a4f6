package cleave.chaos.sim.bugs;

import java.util.Arrays;
import java.util.List;

/**
 * A bug planted on purpose, to prove that the checks find it: each breaks one rule of the production code, on the simulator's side
 * of an interface, where nothing else can reach. Immutable.
 */
public enum Bug {
    NONE("the production code, unchanged"),
    SEAL_SKIPPED(7, "a takeover reads its logs without sealing them"),
    BARRIER_SKIPPED(4, "a read is answered without a barrier, which would show that the log was sealed"),
    FENCE_NOT_SEALED("a takeover reports that it has sealed the fence of the dead owner, and has not"),
    FENCE_OF_THE_INCARNATION_BEFORE(
            "a takeover seals the fence of the dead owner's process before its last start, for its fence"),
    FENCE_USED_IN_DOUBT("a source whose commit has an unknown outcome goes on confirming reads by the fence"),
    BARRIER_SENT_BEFORE_THE_READ("a read is confirmed by the barrier that was sent for the one before it"),
    FENCE_NOT_ARMED("an incarnation confirms reads by a fence of which the masters know nothing"),
    ACKNOWLEDGED_BEFORE_DURABLE(1, "an append counts as durable as soon as it is sent"),
    EPOCH_COMPARED_FOR_VERSION(
            8, "the masters accept a command built on an older version of a row, if the epoch is the same"),
    RANGES_KEPT_BY_A_RESTARTED_PROCESS(
            16, "a restarted process continues as its previous incarnation, with the logs as they are"),
    REFUSAL_OUT_OF_ORDER(8, "a refusal is sent before the record that it depends on is durable"),
    DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG(
            "a durable record is refused if the next log is sealed below the record's offset in its own log"),
    WRITTEN_BEHIND_UNKNOWN_APPEND(
            1, "after an append of unknown outcome, the same record is appended again to the same log"),
    OPEN_FILE_READ_BEYOND_ACKNOWLEDGED(
            2, "a takeover replays what it read from an open log, although the seal then cut it off"),
    REPLAY_PAST_THE_SEAL(1, "a takeover replays beyond the sealed length"),
    REPLAY_CUT_SHORT(1, "a takeover replays less than the sealed length"),
    TIMESTAMP_REPEATED(1, "a changed entity keeps its old timestamp"),
    TRANSACTION_TORN(1, "only the first operation of a transaction is applied"),
    SCAN_ENDS_EARLY(1, "a scan ends before the last key of a range"),
    SCAN_CONTINUED_FROM_OWN_MAP(
            17, "a scan at the end of a range continues where the front end's own map says the range ends"),
    WRITE_RETRIED_AFTER_UNKNOWN_ANSWER(6, "a write that may have been executed is sent again"),
    REACHABLE_FILE_SWEPT(1, "a server that deletes an obsolete file also deletes the newest file that it created"),
    UNKNOWN_COMMIT_TAKEN_FOR_REFUSED(
            17, "a server whose commit has an unknown outcome, or was refused when repeated, deletes its manifest"),
    DROP_FORGETS_A_RANGE(2, "a table is dropped by all its ranges but the first"),
    PREPARED_FILE_SWEPT(
            1,
            "a sweep deletes unreferenced files of an epoch that goes on, such as those of a handoff in preparation"),
    INTERVAL_IGNORED_BY_A_MERGE(
            15, "a store opened from several checkpoints includes what they contain outside their intervals"),
    INLINE_BEFORE_ITS_LEVEL(
            3, "a checkpoint has inline files before their level, so earlier versions cannot read its manifest"),
    UPLOAD_NOT_VERIFIED(1, "a store uploads what is in its local files, whether it is what was written or not"),
    COMMITTED_WITHOUT_WORD(
            2, "the target of a move serves while its source still does, as if that had stopped and sealed its log"),
    COMMITTED_OVER_A_PUBLISH(
            2, "a move given up because its source had to publish is committed all the same, for the next version"),
    RESUMED_BEFORE_PUBLISHING(
            2, "a source whose commit has an unknown outcome continues in a new log that it has not published"),
    DROP_FORGOTTEN_BY_A_CHILD(
            38, "a server that opens a range from another's manifest ignores which tables were dropped"),
    MOVED_TO_A_DEAD_SERVER(2, "the masters assign a range to a dead incarnation"),
    FILE_OF_OTHERS_DELETED(
            1, "a server deletes a file that it failed to create because the path belongs to another cluster"),
    DELETED_PATH_CREATED_AGAIN(
            6, "the DFS node forgets that a path was deleted, so a late create or seal creates a file"),
    LIVING_FILE_REFUSED(
            18, "the DFS node refuses files of earlier incarnations of a server, although they were not deleted"),
    UNKNOWN_COMMAND_SKIPPED(2, "a master skips a command that it does not know"),
    TIMESTAMPS_FROM_THE_CLOCK_ALONE(
            28,
            "a server that opens a range assigns timestamps by its clock alone, even below earlier ones of the range"),
    OWN_CLOCK_TAKEN_FOR_THE_LEADERS(
            21, "a server bounds its timestamps by its own clock, which may run ahead, not by the leader's"),
    CLOCK_CORRECTION_KEPT(
            "a leader applies its clock's correction to new servers when no server is left to confirm it"),
    EMPTY_PEER_VOTES(29, "a master that has lost its folder votes, although it has no log"),
    REMOVED_MEMBER_VOTES(11, "a removed master continues to vote, and its vote counts as that of a member"),
    EMPTY_NEWCOMER_COUNTS(95, "a master that is being added counts before it has received the log"),
    MAP_TAKEN_FOR_THE_NEWEST(
            2, "a leader and its sweep assume that their map is the newest, whatever the files of the DFS show"),
    FULL_SERVER_GETS_RANGES(
            4, "a server whose disk is full reports neither that nor its failing stores, so it receives more ranges"),
    ANSWERED_BY_ANOTHER_CLUSTER("a server answers calls that were meant for a server of another cluster"),
    FENCE_FORGOTTEN_AT_ONCE("the engine of the DFS forgets the fence of a file as soon as the file is deleted"),
    OLD_NAME_TRUSTED(
            "a handle trusts an engine that forgets fences, however long ago the file was last known to exist"),
    BROKEN_LOG_TAKEN_FOR_UNWRITTEN(
            "a server whose log breaks by itself assumes that it contains nothing of what was in flight"),
    VISIBLE_END_TAKEN_FOR_SEALED_LENGTH(
            8, "a source whose log is sealed for a handoff reports how much of it was visible, not its sealed length"),
    DFS_NOT_COMPARED("servers and leaders that use another DFS than the cluster's are taken for ones that use it"),
    SERVERS_KEPT_WHEN_THE_DFS_MOVES("servers that were registered on the DFS before a copy took its place stay live"),
    OUTDATED_COPY_TAKEN_FOR_THE_DFS(
            "a leader goes on in a copy of the DFS, although the cluster went on in the original after the copy"),
    DFS_SILENCE_UNTOLD("a server that the DFS does not answer reports that it answers"),
    DFS_SILENCE_BELIEVED("servers without ranges report that the DFS answers, so that the word of a single one counts");

    public static final List<Bug> ALL =
            Arrays.stream(values()).filter(bug -> bug != NONE).toList();

    private final int seed;
    private final String text;

    Bug(int seed, String text) {
        this.seed = seed;
        this.text = text;
    }

    Bug(String text) {
        this(0, text);
    }

    /** The first seed that shows it; 0 if it needs more than {@code PlantedBugTest} tries, or another cluster: a story shows it. */
    public int seed() {
        return seed;
    }

    /** One line that says how the rule is broken. */
    public String text() {
        return text;
    }
}
