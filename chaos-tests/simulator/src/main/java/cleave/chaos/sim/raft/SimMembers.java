package cleave.chaos.sim.raft;

import cleave.wire.MasterPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A configuration of the masters' group: its members, or the old and the new ones during a change. Immutable.
 *
 * @param before the members that are being replaced; empty if none are
 * @param index of its entry in the log; 0 for the founders
 */
public record SimMembers(List<MasterPeer> before, List<MasterPeer> now, long index) {
    static final SimMembers NONE = new SimMembers(List.of(), List.of(), 0);

    public SimMembers {
        before = List.copyOf(before);
        now = List.copyOf(now);
    }

    /** Replaces the members through the entry with this index; the old ones count, too, until a majority of both agrees. */
    SimMembers changingTo(List<MasterPeer> after, long itsIndex) {
        return new SimMembers(now, after, itsIndex);
    }

    SimMembers changed(long itsIndex) {
        return new SimMembers(List.of(), now, itsIndex);
    }

    SimMembers at(long itsIndex) {
        return new SimMembers(before, now, itsIndex);
    }

    boolean isNone() {
        return now.isEmpty();
    }

    public boolean isChanging() {
        return !before.isEmpty();
    }

    public List<MasterPeer> all() {
        List<MasterPeer> all = new ArrayList<>(now);
        before.stream().filter(peer -> !names(now).contains(peer.getMember())).forEach(all::add);
        return all;
    }

    boolean contains(String member) {
        return names(now).contains(member) || names(before).contains(member);
    }

    /** True if the predicate holds for a majority of the members and of those that they replace. */
    boolean isMajority(Predicate<String> such, int others) {
        return isMajorityOf(now, such, others) && (before.isEmpty() || isMajorityOf(before, such, others));
    }

    private static boolean isMajorityOf(List<MasterPeer> peers, Predicate<String> such, int others) {
        long there = names(peers).stream().filter(such).count();
        return 2 * (there + others) > peers.size();
    }

    static List<String> names(List<MasterPeer> peers) {
        return peers.stream().map(MasterPeer::getMember).toList();
    }

    @Override
    public String toString() {
        return (before.isEmpty() ? "" : names(before) + " to ") + names(now);
    }
}
