package cleave.chaos.sim;

import cleave.model.entity.EntityCodec;
import cleave.server.outside.RangeStore;
import cleave.server.state.Effect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A bug planted on purpose, to see that it is found: each breaks one rule of the production code, at the simulator's side of an
 * interface, where nothing else can reach. Immutable.
 */
public enum Bug {
    /** The code as it is. */
    NONE,
    /** A takeover reads its logs without sealing them. */
    SEAL_SKIPPED,
    /** A read is believed without asking whether the log was sealed. */
    BARRIER_SKIPPED,
    /** An append counts as durable when it is sent. */
    ACKNOWLEDGED_BEFORE_DURABLE,
    /** The masters take a command that was built on an older version of a row, if the epoch is the same. */
    EPOCH_COMPARED_FOR_VERSION,
    /** A process goes on under the name of the one before it, and with its logs as they are. */
    RANGES_KEPT_BY_A_RESTARTED_PROCESS,
    /** A refusal leaves before the record is durable that it was judged on. */
    REFUSAL_OUT_OF_ORDER,
    /** After an append of unknown outcome the same record is appended once more, to the same log. */
    WRITTEN_BEHIND_UNKNOWN_APPEND,
    /** A takeover replays what it read of an open log, although the seal then cut it. */
    OPEN_FILE_READ_BEYOND_ACKNOWLEDGED,
    /** A takeover replays more than the sealed length. */
    REPLAY_PAST_THE_SEAL,
    /** A takeover replays less than the sealed length. */
    REPLAY_CUT_SHORT,
    /** A changed entity keeps the timestamp that it had. */
    TIMESTAMP_REPEATED,
    /** Of a transaction only the first operation is applied. */
    TRANSACTION_TORN,
    /** A scan ends before the last key of a range. */
    SCAN_ENDS_EARLY,
    /** A scan that has reached the end of a range goes on where the front end's map has it. */
    SCAN_CONTINUED_FROM_OWN_MAP,
    /** A write that may have been executed is sent again. */
    WRITE_RETRIED_AFTER_UNKNOWN_ANSWER,
    /** With a file that nothing names any more, its maker deletes the newest one that it made. */
    REACHABLE_FILE_SWEPT,
    /** A taker whose commit nobody answered deletes what it made, as if it had been refused. */
    UNKNOWN_COMMIT_TAKEN_FOR_REFUSED,
    /** A dropped table is not dropped by the first of its ranges. */
    DROP_FORGETS_A_RANGE,
    /** A sweep deletes what the map does not reach, though its epoch goes on: what a handoff prepares. */
    PREPARED_FILE_SWEPT,
    /** A store that is made of several checkpoints takes all that they hold, also outside of their intervals. */
    INTERVAL_IGNORED_BY_A_MERGE,
    /** A move's target serves while its source does, believing a word that the log is sealed, which its source did not give. */
    COMMITTED_WITHOUT_WORD,
    /** A move that was given up since its source had to publish is committed all the same, for the version after that publish. */
    COMMITTED_OVER_A_PUBLISH,
    /** A source whose commit is in doubt goes on in a new log that it has not published. */
    RESUMED_BEFORE_PUBLISHING,
    /** Whoever opens a range from another's manifest does not take over which tables are dropped. */
    DROP_FORGOTTEN_BY_A_CHILD,
    /** The masters let a range be given to an incarnation that is dead. */
    MOVED_TO_A_DEAD_SERVER,
    /** A file that could not be made is deleted, although it could not be made since it is another's. */
    FILE_OF_OTHERS_DELETED,
    /** The DFS node forgets that a path was deleted: who creates or seals it late makes a file. */
    DELETED_PATH_CREATED_AGAIN,
    /** The DFS node refuses what an earlier incarnation of a server made, although it was not deleted. */
    LIVING_FILE_REFUSED,
    /** A master passes over a command that it does not know. */
    UNKNOWN_COMMAND_SKIPPED,
    /** A server that opens a range assigns timestamps by its own clock, even below those that the range has assigned before. */
    TIMESTAMPS_FROM_THE_CLOCK_ALONE,
    /** A server bounds its timestamps by its own clock, which may run ahead, and not by the leader's. */
    OWN_CLOCK_TAKEN_FOR_THE_LEADERS,
    /** A master that has lost its folder votes, with the log that it has not. */
    EMPTY_PEER_VOTES,
    /** A master that was removed goes on voting, and its vote counts as a member's. */
    REMOVED_MEMBER_VOTES,
    /** A master that is added counts before it has got the log. */
    EMPTY_NEWCOMER_COUNTS,
    /** A leader, and its sweep, take their map for the newest there was, whatever the files of the DFS show. */
    MAP_TAKEN_FOR_THE_NEWEST,
    /** A server whose disk is full tells the masters neither that nor that its stores fail: it keeps its ranges, and gets more. */
    FULL_SERVER_GETS_RANGES;

    static final List<Bug> ALL =
            Arrays.stream(values()).filter(bug -> bug != NONE).toList();

    /** What of a record's effects reaches a store. */
    List<Effect> effects(List<Effect> effects, RangeStore stored) {
        if (this == TRANSACTION_TORN && effects.size() > 1) {
            return effects.subList(0, 1);
        }
        if (this != TIMESTAMP_REPEATED) {
            return effects;
        }
        List<Effect> repeated = new ArrayList<>();
        for (Effect effect : effects) {
            byte[] before = effect instanceof Effect.Put put ? stored.get(put.key()) : null;
            if (before != null && effect instanceof Effect.Put put) {
                byte[] entity = put.entity().clone();
                EntityCodec.stampTimestamp(entity, EntityCodec.timestamp(before));
                repeated.add(new Effect.Put(put.key(), entity));
            } else {
                repeated.add(effect);
            }
        }
        return repeated;
    }
}
