package cleave.chaos.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scripted runs: each forces one order of events that breaks a plausible shortcut, and narrates it. Immutable.
 */
@SuppressWarnings("ImmutableEnumChecker") // Its functions are stateless, and its list never changes.
public enum Scenario {
    LATE_COMMIT(
            Rule.I4,
            "the commit of an abandoned takeover arrives after another server has taken the range over",
            TakeoverScenes::lateCommit),
    LATE_PUBLISH(
            Rule.I3,
            "an owner's publish arrives in the middle of the takeover of its range",
            SimSettings::rolling,
            TakeoverScenes::latePublish),
    HEARTBEAT_AFTER_DEATH(
            Rule.I2, "heartbeats arrive after their sender was declared dead", TakeoverScenes::heartbeatAfterDeath),
    RESTART_WITHIN_A_SECOND(
            Rule.I3,
            "an owner restarts before its absence is noticed, and an append of its previous incarnation arrives after that",
            TakeoverScenes::restartWithinASecond,
            Bug.ACKNOWLEDGED_BEFORE_DURABLE),
    LOST_COMMIT(
            Rule.I1, "a commit is executed, and its answer is lost", TakeoverScenes::lostCommit, Bug.REPLAY_CUT_SHORT),
    REFUSED_REPEAT(
            Rule.I9,
            "a commit is executed, its answer is lost, and it is refused when it is repeated",
            TakeoverScenes::refusedRepeat,
            Bug.UNKNOWN_COMMIT_TAKEN_FOR_REFUSED),
    DUEL_OF_SEAL_AND_PUBLISH(
            Rule.I3,
            "an owner publishes a new log while it is being declared dead",
            SimSettings::rolling,
            TakeoverScenes::duelOfSealAndPublish,
            Bug.SEAL_SKIPPED),
    FIRST_APPEND_PAUSED(
            Rule.I9,
            "the first append to a log arrives after the takeover, and after the log was swept",
            SimSettings::rolling,
            TakeoverScenes::firstAppendPaused),
    ZOMBIE_READ(
            Rule.I2,
            "a replaced owner that does not know it yet is asked to read an entity that has changed",
            ZombieScenes::read,
            Bug.BARRIER_SKIPPED),
    ZOMBIE_WRITE(
            Rule.I4,
            "a replaced owner that does not know it yet is asked to write",
            ZombieScenes::write,
            Bug.SEAL_SKIPPED),
    ZOMBIE_CONFLICT(
            Rule.I2,
            "a replaced owner that does not know it yet refuses an insert with 409",
            ZombieScenes::conflict,
            Bug.BARRIER_SKIPPED),
    JOINED_BARRIER(
            Rule.I2, "a read could join a barrier that was sent before the read began", ZombieScenes::joinedBarrier),
    CONDITION_ON_A_RECORD_CUT_OFF(
            Rule.I2, "an insert is judged by a record that a seal then cuts off", LogScenes::conditionOnARecordCutOff),
    WRITE_BEHIND_AN_UNKNOWN_APPEND(
            Rule.I3,
            "an append ends with an unknown outcome, and more writes follow",
            LogScenes::writeBehindAnUnknownAppend,
            Bug.WRITTEN_BEHIND_UNKNOWN_APPEND),
    DURABLE_BEHIND_A_REFUSAL(
            Rule.I3,
            "a log breaks while a write that is durable in the log before it waits behind a refusal",
            SimSettings::rolling,
            LogScenes::durableBehindARefusal,
            Bug.DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG),
    FULL_DFS(Rule.I3, "the DFS runs short of space, and has room again later", LogScenes::fullDfs),
    FULL_DFS_BREAKS_A_LOG(
            Rule.I3, "the DFS's disk is full while an append is on its way to a log", LogScenes::fullDfsBreaksALog),
    TAIL_CUT(
            Rule.I3,
            "a takeover's seal cuts off a record that was stored but not acknowledged",
            LogScenes::tailReadThenCut,
            Bug.ACKNOWLEDGED_BEFORE_DURABLE),
    SEAL_INSIDE_A_RECORD(
            Rule.I3,
            "a takeover's seal falls into the middle of a record",
            LogScenes::sealInsideARecord,
            Bug.ACKNOWLEDGED_BEFORE_DURABLE),
    SEAL_LEFT_BEHIND(
            Rule.I3,
            "an owner goes on in its next log while the seal of the one before is held back, and is taken over",
            SimSettings::rolling,
            LogScenes::sealLeftBehind,
            Bug.SEAL_SKIPPED),
    APPEND_FAILS_WITH_THE_MASTERS_DOWN(
            Rule.I3, "a log breaks while no master is up to publish another", LogScenes::appendFailsWithTheMastersDown),
    FENCE_AFTER_A_DELETION(
            Rule.I3,
            "an append arrives through an old handle soon after its log was sealed and deleted",
            SimSettings::rolling,
            EngineScenes::fenceAfterADeletion,
            Bug.FENCE_FORGOTTEN_AT_ONCE),
    FORGOTTEN_FENCE(
            Rule.I3,
            "an append arrives through an old handle when the DFS has forgotten that its log was sealed and deleted",
            SimSettings::rolling,
            EngineScenes::forgottenFence,
            Bug.OLD_NAME_TRUSTED),
    NAMES_AWAY(
            Rule.I3,
            "a log breaks with an insert in flight, while no name of the DFS can be reached and no master is up",
            EngineScenes::namesAway,
            Bug.BROKEN_LOG_TAKEN_FOR_UNWRITTEN),
    LAGGING_READERS(
            Rule.I3,
            "a range is moved while readers of its log see nothing new",
            EngineScenes::laggingReaders,
            Bug.VISIBLE_END_TAKEN_FOR_SEALED_LENGTH),
    ROTTEN_FLUSH(
            Rule.I3,
            "a bit rots in a local file before its checkpoint, and the owner crashes after it",
            SimSettings::rolling,
            RotScenes::rottenFlush,
            Bug.UPLOAD_NOT_VERIFIED),
    ROTTEN_CHECKPOINT(
            Rule.CONVERGENCE,
            "a bit of a checkpoint rots in the DFS, and is repaired later",
            SimSettings::rolling,
            RotScenes::rottenCheckpoint),
    DUPLICATED_PUBLISH(
            Rule.I9,
            "a publish arrives a second time, long after its log was truncated",
            SimSettings::rolling,
            LogScenes::duplicatedPublish,
            Bug.EPOCH_COMPARED_FOR_VERSION),
    TWO_LEADERS(
            Rule.I1,
            "a leader that is cut off still believes that it leads, and gives orders",
            MasterScenes::twoLeaders),
    PAUSED_LEADER(Rule.I2, "the leader pauses for 2 seconds", MasterScenes::pausedLeader),
    CLOCK_SET_RIGHT_UNSEEN(
            Rule.CONVERGENCE,
            "the leader's clock is wrong, and is set right while no server is left to show it",
            MasterScenes::clockSetRightUnseen,
            Bug.CLOCK_CORRECTION_KEPT),
    DELAYED_SPLIT(
            Rule.I4,
            "the commit of a split arrives after the range has given it up and continued",
            SplitScenes::delayedCommit,
            Bug.EPOCH_COMPARED_FOR_VERSION),
    CRASH_BEFORE_THE_SEAL(
            Rule.I1, "an owner crashes during a split, before its log is sealed", SplitScenes::crashBeforeTheSeal),
    DEAD_TARGET(
            Rule.I1,
            "the target of a split is dead when the commit arrives",
            SplitScenes::commitToADeadTarget,
            Bug.MOVED_TO_A_DEAD_SERVER),
    ONE_CHILD_TAKEN_OVER(
            Rule.I3, "one part of a split is taken over while the other serves", SplitScenes::oneChildIsTakenOver),
    SPLIT_DELETE_MERGE(
            Rule.I4,
            "a range is split, an entity is deleted in one part, and the parts are merged",
            SimSettings::rolling,
            HandoffScenes::splitDeleteMerge,
            Bug.INTERVAL_IGNORED_BY_A_MERGE),
    MERGE_THEN_TAKEOVER(
            Rule.I3,
            "a range is split, one part makes a checkpoint, the parts are merged, and the owner crashes",
            SimSettings::rolling,
            HandoffScenes::mergeThenTakeover,
            Bug.INTERVAL_IGNORED_BY_A_MERGE),
    SWEEP_BEFORE_THE_COMMIT(
            Rule.I9,
            "the masters sweep between a target's preparation and its commit",
            SimSettings::sweeping,
            HandoffScenes::sweepBeforeTheCommit,
            Bug.PREPARED_FILE_SWEPT),
    LOG_BREAKS_UNDER_A_MOVE(
            Rule.I3,
            "the source of a move rolls its log between the target's manifest and the switch",
            HandoffScenes::logBreaksUnderAMove,
            Bug.COMMITTED_OVER_A_PUBLISH),
    CLOCK_AHEAD(
            Rule.I8,
            "a server's clock jumps an hour ahead, it writes, and its range moves to another",
            HandoffScenes::clockAhead,
            Bug.OWN_CLOCK_TAKEN_FOR_THE_LEADERS,
            Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE),
    UNHEARD_MOVE(
            Rule.I2,
            "a write goes through a front end that has not learnt of a move",
            HandoffScenes::unheardMove,
            Bug.COMMITTED_WITHOUT_WORD),
    ADDRESS_OF_ANOTHER_CLUSTER(
            Rule.I3,
            "a server of another cluster gets the address of an owner",
            TakeoverScenes::addressOfAnotherCluster,
            Bug.ANSWERED_BY_ANOTHER_CLUSTER),
    LOST_ANSWER_OF_A_MOVE(
            Rule.I2,
            "a move is committed, and its source never learns of it",
            HandoffScenes::lostAnswerOfAMove,
            Bug.RESUMED_BEFORE_PUBLISHING),
    DROPPED_THEN_MOVED(
            Rule.I4,
            "a table is deleted, its range is moved, and a front end still has the table cached",
            SimSettings::rolling,
            HandoffScenes::droppedThenMoved,
            Bug.DROP_FORGOTTEN_BY_A_CHILD),
    ONE_SPLIT_BEHIND(
            Rule.I7,
            "a scan goes through a front end that has not learnt of a split",
            ScanScenes::oneSplitBehind,
            Bug.SCAN_ENDS_EARLY),
    TRANSACTION_BETWEEN_TWO_CALLS(
            Rule.I6,
            "a transaction is committed between the two calls of one page",
            ScanScenes::transactionBetweenTwoCalls,
            Bug.TRANSACTION_TORN),
    TABLE_CREATED_AGAIN(
            Rule.I4,
            "a table is deleted and created again, and a front end still has the old one cached",
            ScanScenes::tableDeletedAndCreatedAgain),
    LOST_FOLDER(
            Rule.I4,
            "a master starts with an empty folder, and its vote could elect a leader that lacks what it had acknowledged",
            MasterScenes::lostFolder,
            Bug.EMPTY_PEER_VOTES),
    OLD_FOLDERS(
            Rule.I9,
            "all masters start with outdated folders",
            SimSettings::sweeping,
            MasterScenes::oldFolders,
            Bug.MAP_TAKEN_FOR_THE_NEWEST),
    LEADER_KILLED_IN_A_REPLACEMENT(
            Rule.I4,
            "the leader crashes after a master has joined and before it becomes a member",
            MemberScenes::leaderKilledInAReplacement),
    NEWCOMER_WITHOUT_A_LOG(
            Rule.I4,
            "a joining master's vote could elect a leader that lacks what was acknowledged",
            MemberScenes::newcomerWithoutALog,
            Bug.EMPTY_NEWCOMER_COUNTS),
    REMOVED_MASTER(
            Rule.I4,
            "a removed master that does not know it yet could elect a leader that lacks what was acknowledged",
            MemberScenes::removedMaster,
            Bug.REMOVED_MEMBER_VOTES),
    FORGOTTEN_SERVER(
            Rule.I3,
            "the DFS is copied, and a server is started with the old one",
            DfsScenes::forgottenServer,
            Bug.DFS_NOT_COMPARED),
    FORGOTTEN_MASTER(
            Rule.I3,
            "the DFS is copied, and a master is started with the old one and comes to lead",
            DfsScenes::forgottenMaster),
    SERVER_LEFT_RUNNING(
            Rule.I3,
            "the DFS is copied, and a server that was not stopped publishes a log in the old one",
            DfsScenes::serverLeftRunning,
            Bug.SERVERS_KEPT_WHEN_THE_DFS_MOVES),
    OUTDATED_COPY(
            Rule.I3,
            "the DFS is copied, the cluster goes on in the old one, and a master is started with the copy",
            DfsScenes::outdatedCopy,
            Bug.OUTDATED_COPY_TAKEN_FOR_THE_DFS),
    OUTDATED_COPY_OF_A_COPY(
            Rule.I3,
            "the DFS is copied twice, the cluster goes on in the old one, and a master is started with the copy of the copy",
            DfsScenes::outdatedCopyOfACopy,
            Bug.OUTDATED_COPY_TAKEN_FOR_THE_DFS),
    COPY_OF_A_COPY(
            Rule.I3,
            "the DFS is copied twice, and the cluster goes on in the copy of the copy but for one server",
            DfsScenes::copyOfACopy,
            Bug.DFS_NOT_COMPARED);

    private final Rule rule;
    private final String title;
    private final Supplier<SimSettings> settings;
    private final Consumer<Stage> script;
    private final List<Bug> bugs;

    Scenario(Rule rule, String title, Consumer<Stage> script, Bug... bugs) {
        this(rule, title, SimSettings::calm, script, bugs);
    }

    Scenario(Rule rule, String title, Supplier<SimSettings> settings, Consumer<Stage> script, Bug... bugs) {
        this.rule = rule;
        this.title = title;
        this.settings = settings;
        this.script = script;
        this.bugs = List.of(bugs);
    }

    /**
     * The result of a script. Immutable.
     *
     * @param told the story, line by line
     * @param findings violations of the rules
     * @param notAsTold the step that did not happen as the script says; null if all steps did
     */
    public record Report(
            List<String> told,
            List<Finding> findings,
            @Nullable String notAsTold) {
        public Report {
            told = List.copyOf(told);
            findings = List.copyOf(findings);
        }

        public boolean isRight() {
            return findings.isEmpty() && notAsTold == null;
        }
    }

    /** Its name on the command line. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A summary in one line. */
    public String title() {
        return title;
    }

    /** Planted bugs that the story exposes. */
    public List<Bug> bugs() {
        return bugs;
    }

    /** Null if there is none of that name. */
    public static @Nullable Scenario of(String id) {
        for (Scenario each : values()) {
            if (each.id().equals(id)) {
                return each;
            }
        }
        return null;
    }

    /** Runs the script, repairs everything and checks the history. The seed only determines small delays. */
    public Report play(long seed, Bug bug) {
        Stage stage = new Stage(seed, bug, settings.get());
        String notAsTold = null;
        try {
            stage.begin();
            script.accept(stage);
        } catch (Stage.NotAsTold stopped) {
            notAsTold = stopped.getMessage();
        }
        stage.end();
        List<String> told = new ArrayList<>();
        told.add(id() + ": " + title + ".");
        told.add("");
        told.addAll(stage.timeline().lines());
        told.add("");
        List<Finding> findings = stage.world().violations();
        told.addAll(ending(findings, notAsTold));
        return new Report(told, findings, notAsTold);
    }

    private List<String> ending(List<Finding> findings, @Nullable String notAsTold) {
        List<String> ending = new ArrayList<>();
        if (notAsTold != null) {
            ending.add("The story ended early: " + notAsTold + ".");
        }
        ending.add("Then everything was repaired, every key was read and written again, and the history was checked.");
        if (findings.isEmpty()) {
            ending.add("No violation was found. What held: " + rule + ".");
        } else {
            ending.add("WRONG. What should have held: " + rule + ". But:");
            findings.forEach(finding -> ending.add(finding.toString()));
        }
        return ending;
    }
}
