package cleave.chaos.sim.raft;

import cleave.master.membership.GroupMembership;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.state.MasterState;
import cleave.wire.MasterPeer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one master: its membership, its log and its newest snapshot. Immutable, except that the log grows.
 *
 * @param folder null if the folder belongs to no cluster
 * @param held the number of entries of the log that this master holds
 * @param saved the newest snapshot
 * @param savedIndex index of the last command in the snapshot
 * @param knownTerm the newest term that this master has heard of
 */
public record SimRaftDisk(
        @Nullable GroupMembership folder,
        SimRaftLog log,
        long held,
        MasterState saved,
        long savedIndex,
        long knownTerm) {
    public static final SimRaftDisk EMPTY = empty();

    static SimRaftDisk empty() {
        return new SimRaftDisk(null, new SimRaftLog(), 0, MasterState.EMPTY, 0, 0);
    }

    SimRaftDisk of(GroupMembership membership) {
        return new SimRaftDisk(membership, log, held, saved, savedIndex, knownTerm);
    }

    /** A copy that holds a whole log, as of a term. */
    SimRaftDisk holding(SimRaftLog all, long term) {
        return new SimRaftDisk(folder, all, all.size(), saved, savedIndex, term);
    }

    SimRaftDisk saving(MasterState state, long index) {
        return new SimRaftDisk(folder, log, held, state, index, knownTerm);
    }

    boolean holdsMore() {
        return held > 0;
    }

    boolean isNewerThan(SimRaftDisk other) {
        long term = log.lastTerm(held);
        long others = other.log.lastTerm(other.held);
        return term > others || (term == others && held > other.held);
    }

    /** The part of the log that this master holds. */
    SimRaftLog logItHolds() {
        return held == log.size() ? log : log.fork(held);
    }

    public MasterState state() {
        return log.state(held);
    }

    /** The newest configuration in the log, committed or not; before the first one, the founders. */
    SimMembers members() {
        SimMembers newest = log.members(held);
        if (!newest.isNone() || folder == null) {
            return newest;
        }
        List<MasterPeer> founders = new ArrayList<>();
        for (Peer peer : folder.founders()) {
            founders.add(MasterPeer.newBuilder()
                    .setId(peer.id())
                    .setMember(peer.id())
                    .setRaft(peer.raft())
                    .setAddress(peer.rpc())
                    .build());
        }
        return new SimMembers(List.of(), founders, 0);
    }
}
