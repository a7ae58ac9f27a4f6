package cleave.master.policy;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of the masters' group that an operator requested, and its next step. Immutable and pure: the step follows
 * from the current members alone, so any leader continues what another one began, and a change that was already made
 * needs no step.
 *
 * <p>A master that is replaced by itself is removed first and then added: it puts its log aside when it joins, and
 * until the group has removed it, other members may rely on that log.
 *
 * @param out the member to remove; null for none
 * @param in the master to add; null for none
 */
public record MemberChange(@Nullable String out, @Nullable Newcomer in) {
    /** Five members are sensible, and one more while they are replaced one by one. */
    private static final int MEMBERS_MAX = 6;
    /** Below this the member that leaves is half of the group or all of it. */
    private static final int REPLACE_MIN = 3;

    private static final String ANY_PORT = ":0";

    /** A master to add. */
    public record Newcomer(String id, String raft, String rpc) {
        private boolean is(MasterMember member) {
            return id.equals(member.id()) && raft.equals(member.raft()) && rpc.equals(member.rpc());
        }

        /** True if this master had that name in the group after an earlier joining. */
        private boolean wasCalled(String member) {
            return member.equals(id) || member.startsWith(id + MasterMember.MARK);
        }
    }

    /** The next step. */
    public sealed interface Step {
        /** The members are as the operator wants them. */
        record Done() implements Step {}

        /** The change cannot be made now. */
        record Refused(String why) implements Step {}

        /** Another member must lead first, because the leader is the one that leaves. */
        record Transfer(MasterMember to) implements Step {}

        /** The newcomer joins and becomes a member beside these. */
        record Admit(Newcomer newcomer, List<MasterMember> beside) implements Step {}

        /** These remain as the members. */
        record Reduce(List<MasterMember> to) implements Step {}
    }

    public MemberChange {
        if (out == null && in == null) {
            throw new IllegalArgumentException(
                    "a change of the masters names a member that leaves, a master that joins, or both");
        }
    }

    /** @param self the member that leads */
    public Step next(List<MasterMember> members, String self) {
        MasterMember leaving = find(members, out);
        Newcomer newcomer = in;
        MasterMember there = newcomer == null
                ? null
                : members.stream()
                        .filter(member -> member.id().equals(newcomer.id())
                                && !member.member().equals(out))
                        .findFirst()
                        .orElse(null);
        if (out != null && leaving == null) {
            if (newcomer == null || (there != null && newcomer.is(there))) {
                return new Step.Done();
            }
            boolean begun = there == null && newcomer.wasCalled(out);
            return begun ? admit(newcomer, members) : new Step.Refused(out + " is no member; there are " + members);
        }
        if (newcomer != null && there != null) {
            return alreadyThere(newcomer, there, leaving);
        }
        if (newcomer != null && leaving != null && members.size() < REPLACE_MIN) {
            return new Step.Refused("none of " + members.size() + " masters can be replaced in one step: add "
                    + newcomer.id() + " first, then remove " + leaving.id());
        }
        if (leaving != null && members.size() == 1) {
            return new Step.Refused(leaving.id() + " is the only master; add another one before it is removed");
        }
        if (leaving != null && leaving.member().equals(self)) {
            return transfer(members, leaving);
        }
        List<MasterMember> stay = members.stream()
                .filter(member -> leaving == null || !member.member().equals(leaving.member()))
                .toList();
        return newcomer == null || (leaving != null && leaving.id().equals(newcomer.id()))
                ? reduce(stay)
                : admit(newcomer, stay);
    }

    private static @Nullable MasterMember find(List<MasterMember> members, @Nullable String name) {
        return members.stream()
                .filter(member -> member.member().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static Step alreadyThere(Newcomer newcomer, MasterMember there, @Nullable MasterMember leaving) {
        if (leaving == null && newcomer.is(there)) {
            return new Step.Done();
        }
        return new Step.Refused(
                "master " + newcomer.id() + " is a member already, at " + there.raft() + " and " + there.rpc()
                        + (leaving == null
                                ? ". If its address has changed or its disk is lost, it must be replaced"
                                : "; to be rid of " + leaving.id() + ", remove it"));
    }

    private static Step transfer(List<MasterMember> members, MasterMember leader) {
        for (MasterMember member : members) {
            if (member.reachable() && !member.member().equals(leader.member())) {
                return new Step.Transfer(member);
            }
        }
        return new Step.Refused(leader.id() + " leads, and no other member can be reached to lead in its place");
    }

    private static Step reduce(List<MasterMember> stay) {
        String lack = lack(stay, 0);
        return lack.isEmpty() ? new Step.Reduce(stay) : new Step.Refused(lack);
    }

    private static Step admit(Newcomer newcomer, List<MasterMember> stay) {
        for (MasterMember member : stay) {
            if (member.raft().endsWith(ANY_PORT)) {
                return new Step.Refused("master " + member.id() + " listens for other masters at any free port, at "
                        + member.raft() + ", where they cannot find it: set master.raft-listen to a fixed port,"
                        + " restart it, and repeat the command");
            }
            if (member.raft().equals(newcomer.raft()) || member.rpc().equals(newcomer.rpc())) {
                return new Step.Refused("master " + member.id() + " has an address that " + newcomer.id()
                        + " is to have: " + member.raft() + " and " + member.rpc());
            }
        }
        if (stay.size() >= MEMBERS_MAX) {
            return new Step.Refused("there are " + stay.size()
                    + " masters, and more would only slow changes of the map; remove one first");
        }
        String lack = lack(stay, 1);
        return lack.isEmpty() ? new Step.Admit(newcomer, stay) : new Step.Refused(lack);
    }

    private static List<String> silent(List<MasterMember> stay) {
        return stay.stream()
                .filter(member -> !member.reachable())
                .map(MasterMember::id)
                .toList();
    }

    /** Why the reachable ones of these members, and as many newcomers, are no majority; empty if they are one. */
    private static String lack(List<MasterMember> stay, int more) {
        List<String> silent = silent(stay);
        int size = stay.size() + more;
        int reached = size - silent.size();
        return 2 * reached > size
                ? ""
                : "after the change only " + reached + " of " + size
                        + " masters could be reached, which is no majority: " + silent
                        + " do not answer. Start them or replace them first";
    }

    @Override
    public String toString() {
        Newcomer newcomer = in;
        if (newcomer == null) {
            return "remove " + out;
        }
        String joins = newcomer.id() + " at " + newcomer.rpc();
        return Objects.isNull(out) ? "add " + joins : "replace " + out + " by " + joins;
    }
}
