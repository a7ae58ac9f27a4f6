package cleave.master.membership;

import cleave.master.policy.MasterMember;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import java.util.List;

/**
 * To which cluster a master belongs, as its folder keeps it. Immutable.
 *
 * @param id the master's
 * @param token random: by it the DFS knows this folder from another one that this master may have had before
 * @param founders the members that the cluster was founded with; empty for a master that was added to a group later
 * @param awaited ids of founders that this master has yet to tell that they are members
 */
public record GroupMembership(
        ClusterId cluster, String id, Phase phase, String token, List<Peer> founders, List<String> awaited) {
    private static final int TOKEN_CHARACTERS = 8;

    /** How far it is. */
    public enum Phase {
        /** It is to be a founder: the DFS may say so or not, and the master is no member yet. */
        FOUNDING,
        /** A member whose log may not have been begun. */
        JOINING,
        /** A member with a log: without it this master has lost what it told the others. */
        MEMBER,
        /** No longer a member: what the folder keeps of it is being put aside. */
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
     * What the group calls this member. The founders are called by their ids, which the DFS lets each use once; a master that was
     * added has a name that it never had before, so that nobody counts on what it knew with a folder that it lost.
     */
    public String member() {
        return founders.isEmpty() ? id + MasterMember.MARK + token.substring(0, TOKEN_CHARACTERS) : id;
    }

    /** The id of the master that the group calls so. */
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
