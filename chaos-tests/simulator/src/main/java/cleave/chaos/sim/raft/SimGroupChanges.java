package cleave.chaos.sim.raft;

import cleave.chaos.sim.world.World;
import cleave.master.state.MasterAnswer;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Carries out operators' requests to a leading master: new members, another leader. */
final class SimGroupChanges {
    private static final long TRANSFER_NANOS_MAX = 3_000_000_000L;

    private final SimRaft raft;
    private final World world;
    private final Random random;
    private final SimRaftMember leader;
    private @Nullable SimReconfiguration change;

    SimGroupChanges(SimRaftMember leader) {
        this.raft = leader.raft;
        this.world = raft.world;
        this.random = raft.random;
        this.leader = leader;
    }

    private static CompletableFuture<MasterAnswer> refused(ErrorCode code, String why) {
        return CompletableFuture.completedFuture(MasterAnswer.failed(code, why));
    }

    CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
        SimMembers members = raft.members();
        List<String> known = SimMembers.names(members.all()).stream().sorted().toList();
        if (!known.equals(before.stream().sorted().toList())) {
            return refused(ErrorCode.STALE_VERSION, "the members are " + known);
        }
        SimReconfiguration other = change;
        if (members.isChanging() || (other != null && !other.isOver())) {
            return refused(ErrorCode.BUSY, "another change is under way");
        }
        world.note(leader.node(), "changes", known + " to " + SimMembers.names(after));
        SimReconfiguration its = SimReconfiguration.to(leader, after);
        change = its;
        return its.answer();
    }

    CompletableFuture<MasterAnswer> transfer(String member, long term) {
        CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
        transfer(member, term, world.now() + TRANSFER_NANOS_MAX, answer);
        return answer;
    }

    private void transfer(String member, long term, long until, CompletableFuture<MasterAnswer> answer) {
        world.after(1_000_000L + random.nextInt(100_000_000), () -> {
            SimRaftMember to = raft.masters().stream()
                    .filter(other -> other.name().equals(member) && raft.hearsLeader(other))
                    .findFirst()
                    .orElse(null);
            if (!raft.isLeader(leader) || raft.term() != term) {
                answer.complete(MasterAnswer.failed(ErrorCode.NOT_LEADER, ""));
            } else if (to != null && to.isCaughtUp() && raft.isElectable(to, voter -> true)) {
                world.count("transfers of the leadership");
                leader.leadsNoMore();
                raft.lead(to);
                answer.complete(MasterAnswer.ok(raft.log().size()));
            } else if (world.now() > until) {
                answer.complete(MasterAnswer.failed(ErrorCode.BUSY, member + " does not take the leadership"));
            } else {
                transfer(member, term, until, answer);
            }
        });
    }
}
