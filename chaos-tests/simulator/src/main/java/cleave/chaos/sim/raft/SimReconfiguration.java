package cleave.chaos.sim.raft;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.World;
import cleave.master.state.MasterAnswer;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * One change of the masters' membership by Raft's joint consensus: joining members get the leader's log; then
 * majorities of the old and the new members agree that both count, and then that only the new ones do. It ends with its
 * leader.
 */
final class SimReconfiguration {
    private static final long AGAIN_NANOS = 50_000_000;
    private static final long SILENCE_NANOS_MAX = 3_000_000_000L;

    private final SimRaft raft;
    private final World world;
    private final Random random;
    private final SimRaftMember by;
    private final long term;
    private final List<MasterPeer> after;
    private final List<String> newcomers;
    private final CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
    private long silentNanos;
    private boolean entered;

    private SimReconfiguration(SimRaftMember by, List<MasterPeer> after) {
        this.raft = by.raft;
        this.world = raft.world;
        this.random = raft.random;
        this.by = by;
        this.term = raft.term();
        this.after = after;
        this.newcomers = SimMembers.names(after).stream()
                .filter(name -> !raft.members().contains(name))
                .toList();
    }

    /** Asks the leader to make these the members. */
    static SimReconfiguration to(SimRaftMember by, List<MasterPeer> after) {
        SimReconfiguration made = new SimReconfiguration(by, after);
        by.raft.catchesUp(made.newcomers);
        made.catchUp();
        return made;
    }

    /** Continues the previous leader's change, because majorities of both have agreed. */
    static SimReconfiguration ofTheLeaderBefore(SimRaftMember by) {
        SimReconfiguration left = new SimReconfiguration(by, by.raft.members().now());
        left.entered = true;
        return left;
    }

    CompletableFuture<MasterAnswer> answer() {
        return answer;
    }

    boolean isOver() {
        return answer.isDone();
    }

    private boolean isOn() {
        if (raft.isLeader(by) && raft.term() == term && by.isUp()) {
            return true;
        }
        if (!entered) {
            raft.catchesUpNoMore(newcomers);
        }
        boolean isKnown = !entered || random.nextBoolean();
        end(MasterAnswer.failed(
                isKnown ? ErrorCode.NOT_LEADER : ErrorCode.UNKNOWN_OUTCOME,
                isKnown ? "" : "the leader lost its office"));
        return false;
    }

    private void end(MasterAnswer with) {
        world.note(by.node(), "members", with.code() + " " + raft.members());
        answer.complete(with);
    }

    private void catchUp() {
        if (!isOn()) {
            return;
        }
        boolean allHeard = newcomers.stream().allMatch(name -> isThere(name, false));
        if (raft.bug == Bug.EMPTY_NEWCOMER_COUNTS
                ? allHeard
                : newcomers.stream().allMatch(name -> isThere(name, true))) {
            enter();
            return;
        }
        silentNanos = allHeard ? 0 : silentNanos + AGAIN_NANOS;
        if (silentNanos > SILENCE_NANOS_MAX) {
            raft.catchesUpNoMore(newcomers);
            end(MasterAnswer.failed(ErrorCode.CONDITION_FAILED, "the master that joins does not answer"));
        } else {
            world.after(AGAIN_NANOS, this::catchUp);
        }
    }

    private boolean isThere(String name, boolean withLog) {
        return raft.masters().stream()
                .anyMatch(master ->
                        master.name().equals(name) && raft.hearsLeader(master) && (!withLog || master.isCaughtUp()));
    }

    private void enter() {
        SimMembers now = raft.members();
        if (now.isChanging()) {
            raft.catchesUpNoMore(newcomers);
            end(MasterAnswer.failed(ErrorCode.BUSY, "another change is under way"));
            return;
        }
        entered = true;
        world.count("changes of the masters begun");
        append(now.changingTo(after, raft.log().size() + 1L));
        whenCommitted(this::settle);
    }

    /** Ends the joint configuration: only the new members count. */
    void settle() {
        raft.catchesUpNoMore(newcomers);
        append(raft.members().changed(raft.log().size() + 1L));
        whenCommitted(() -> {
            world.count("changes of the masters");
            end(MasterAnswer.ok(raft.log().size()));
            if (!raft.members().contains(by.name())) {
                raft.loseLeader(by);
            }
        });
    }

    /** Some members get the entry at once, including removed ones. */
    private void append(SimMembers members) {
        List<SimRaftMember> sentTo =
                raft.masters().stream().filter(raft::hearsLeader).toList();
        raft.append(members);
        for (SimRaftMember member : sentTo) {
            if (random.nextInt(3) == 0) {
                member.hold();
            }
        }
    }

    private void whenCommitted(Runnable then) {
        long index = raft.log().size();
        long delay = 500_000L + random.nextInt(random.nextInt(3) == 0 ? 1_500_000_000 : 4_000_000);
        world.after(delay, () -> tryToCommit(index, then));
    }

    private void tryToCommit(long index, Runnable then) {
        if (!isOn()) {
            return;
        }
        if (raft.committed() < index && raft.hasQuorum(by)) {
            raft.replicate(by);
        }
        if (raft.committed() >= index) {
            then.run();
        } else {
            world.after(AGAIN_NANOS, () -> tryToCommit(index, then));
        }
    }
}
