package cleave.master.membership;

import cleave.master.policy.MasterMember;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import java.util.List;

/**
 * A master's membership in a cluster, as kept in its folder. Immutable.
 *
 * @param id the master's
 * @param token random; distinguishes this folder, in the DFS, from an earlier one of this master
 * @param founders the members that the cluster was founded with; empty for a master that was added to a group later
 * @param awaited ids of founders that this master has not yet notified of their membership
 */
public record GroupMembership(
        ClusterId cluster, String id, Phase phase, String token, List<Peer> founders, List<String> awaited) {
    private static final int TOKEN_CHARACTERS = 8;

    /** The stage of the membership. */
    public enum Phase {
        /** The master will be a founder, but is not a member yet; the DFS may or may not name it. */
        FOUNDING,
        /** A member whose log may not exist yet. */
        JOINING,
        /** A member with a log: if the log is missing, this master has lost what it promised the others. */
        MEMBER,
        /** No longer a member: the log is being put aside. */
        LEFT
    }

    public GroupMembership {
        founders = List.copyOf(founders);
        awaited = List.copyOf(awaited);
    }

    public boolean isMember() {
        return phase == Phase.JOINING || phase == Phase.MEMBER;
    }

    /**
     * The member's name in the group. Founders use their ids, which the DFS lets each use once; a master that was added
     * has a new name, so that no member relies on the log of a folder that it lost.
     */
    public String member() {
        return founders.isEmpty() ? id + MasterMember.MARK + token.substring(0, TOKEN_CHARACTERS) : id;
    }

    /** The id of the master with this name in the group. */
    public static String idOf(String member) {
        int mark = member.lastIndexOf(MasterMember.MARK);
        return mark < 0 ? member : member.substring(0, mark);
    }

    public GroupMembership in(Phase next) {
        return new GroupMembership(cluster, id, next, token, founders, awaited);
    }

    GroupMembership withAwaited(List<String> left) {
        return new GroupMembership(cluster, id, phase, token, founders, left);
    }
}
