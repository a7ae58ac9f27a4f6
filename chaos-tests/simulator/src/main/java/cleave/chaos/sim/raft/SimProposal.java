package cleave.chaos.sim.raft;

import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command on its way into the masters' log. */
final class SimProposal {
    private static final long ANSWER_NANOS_MAX = 3_000_000_000L;
    private static final long AGAIN_NANOS = 100_000_000;

    private final SimRaft raft;
    private final World world;
    private final SimRaftMember by;
    private final byte[] command;
    /** Another log replaces it if masters have forgotten its end; proposals in transit to this one are then lost. */
    private final SimRaftLog log;

    private final long proposedIn;
    private final long proposedNanos;
    private final @Nullable SimProcess process;
    private final CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
    private boolean replicated;
    private boolean committed;
    private boolean settled;
    private long index;

    SimProposal(SimRaftMember by, byte[] command, long proposedIn) {
        this.raft = by.raft;
        this.world = raft.world;
        this.by = by;
        this.command = command;
        this.log = raft.log();
        this.proposedIn = proposedIn;
        this.proposedNanos = world.now();
        this.process = by.process();
    }

    CompletableFuture<MasterAnswer> answer() {
        return answer;
    }

    boolean isCommitted() {
        return committed;
    }

    /** True if the masters still have the log that this was proposed for. */
    @SuppressWarnings("ReferenceEquality")
    boolean isItsLog() {
        return raft.log() == log;
    }

    boolean isAt(long entry) {
        return index == entry;
    }

    boolean isOverdue() {
        return world.now() - proposedNanos > ANSWER_NANOS_MAX;
    }

    /** Reaches the other members, and once more for each repetition by a script. */
    void arrive() {
        world.carry(
                proposedNanos,
                () -> Message.request(by.node(), SimRaft.NODE, name(), ""),
                this::commitIfLeading,
                () -> raft.commit(command));
    }

    private String name() {
        return SimRaft.decoded(command).getClass().getSimpleName();
    }

    private void commitIfLeading() {
        if (settled || committed || process == null || process.isDead()) {
            return;
        }
        replicated = raft.hasQuorum(by) || by.chance(4);
        if (raft.isLeader(by) && raft.term() == proposedIn && raft.hasQuorum(by)) {
            committed = true;
            index = raft.log().size() + 1L;
            raft.commit(command);
        } else if (raft.isLeader(by) || raft.leader() == null) {
            world.after(AGAIN_NANOS, this::commitIfLeading);
        }
    }

    /** A new leader was elected: an uncommitted proposal is committed if it is in the leader's log, and lost otherwise. */
    void settle() {
        if (!committed && !settled) {
            settled = true;
            if (replicated && by.chance(2) && isItsLog()) {
                world.count("proposals committed by a later leader");
                raft.commit(command);
            }
        }
    }

    void answer(MasterAnswer what) {
        SimProcess its = process;
        if (its != null) {
            MasterAnswer copied = AnswerCodec.fromWire(AnswerCodec.toWire(what));
            long sent = world.now();
            its.deliver(
                    20_000,
                    () -> world.carry(
                            sent,
                            () -> Message.answer(
                                    SimRaft.NODE,
                                    by.node(),
                                    name(),
                                    copied.code().name()),
                            () -> its.run(() -> answer.complete(copied))));
        }
    }
}
