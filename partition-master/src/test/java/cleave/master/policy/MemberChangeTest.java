package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.master.policy.MemberChange.Newcomer;
import cleave.master.policy.MemberChange.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberChangeTest {
    private static final MasterMember M1 = member("m1", true);
    private static final MasterMember M2 = member("m2", true);
    private static final MasterMember M3 = member("m3", true);
    private static final MasterMember M3_DOWN = member("m3", false);
    private static final Newcomer M4 = new Newcomer("m4", "raft-m4", "rpc-m4");

    private static MasterMember member(String id, boolean reachable) {
        return new MasterMember(id + "#1", id, "raft-" + id, "rpc-" + id, reachable);
    }

    private static Step next(MemberChange change, MasterMember... members) {
        return change.next(List.of(members), "m1#1");
    }

    private static MemberChange add(Newcomer newcomer) {
        return new MemberChange(null, newcomer);
    }

    private static MemberChange remove(MasterMember member) {
        return new MemberChange(member.member(), null);
    }

    private static MemberChange replace(MasterMember member, Newcomer newcomer) {
        return new MemberChange(member.member(), newcomer);
    }

    private static String refusal(Step step) {
        assertThat(step).isInstanceOf(Step.Refused.class);
        return step instanceof Step.Refused refused ? refused.why() : "";
    }

    @Test
    void aMasterIsAddedBesideTheOthers() {
        assertThat(next(add(M4), M1, M2)).isEqualTo(new Step.Admit(M4, List.of(M1, M2)));
    }

    @Test
    void nobodyIsAddedBesideAMasterThatListensAnywhere() {
        MasterMember m1 = new MasterMember("m1#1", "m1", "127.0.0.1:0", "rpc-m1", true);
        assertThat(refusal(next(add(M4), m1))).contains("m1", "127.0.0.1:0", "master.raft-listen");
    }

    @Test
    void aChangeThatWasMadeIsDone() {
        MasterMember added = new MasterMember("m4#7", "m4", "raft-m4", "rpc-m4", true);
        assertThat(next(add(M4), M1, added)).isEqualTo(new Step.Done());
        assertThat(next(remove(M3), M1, M2)).isEqualTo(new Step.Done());
        assertThat(next(replace(M3, M4), M1, M2, added)).isEqualTo(new Step.Done());
    }

    @Test
    void aMasterIsReplacedAtOneStrokeEvenIfItIsGone() {
        assertThat(next(replace(M3_DOWN, M4), M1, M2, M3_DOWN)).isEqualTo(new Step.Admit(M4, List.of(M1, M2)));
    }

    @Test
    void aMasterThatIsReplacedByItselfIsRemovedFirstForItPutsItsLogAside() {
        Newcomer itself = new Newcomer("m3", "raft-elsewhere", "rpc-elsewhere");
        assertThat(next(replace(M3_DOWN, itself), M1, M2, M3_DOWN)).isEqualTo(new Step.Reduce(List.of(M1, M2)));
        assertThat(next(replace(M3, itself), M1, M2)).isEqualTo(new Step.Admit(itself, List.of(M1, M2)));
        Newcomer second = new Newcomer("m2", "raft-m2", "rpc-m2");
        assertThat(refusal(next(replace(M2, second), M1, M2, M3_DOWN))).contains("only 1", "no majority", "[m3]");
    }

    @Test
    void theLeaderGivesItsOfficeToAReachableMemberBeforeItLeaves() {
        assertThat(next(remove(M1), M1, M3_DOWN, M2)).isEqualTo(new Step.Transfer(M2));
        assertThat(next(replace(M1, M4), M1, M2, M3)).isEqualTo(new Step.Transfer(M2));
        assertThat(refusal(next(remove(M1), M1, M3_DOWN))).contains("m1 leads", "no other member can be reached");
    }

    @Test
    void theLastMasterStays() {
        assertThat(refusal(next(remove(M1), M1))).contains("m1 is the only master");
    }

    @Test
    void noChangeLeavesAMajorityThatCannotBeReached() {
        assertThat(refusal(next(remove(M2), M1, M2, M3_DOWN))).contains("only 1", "no majority", "[m3]");
        MasterMember down = member("m5", false);
        assertThat(refusal(next(add(M4), M1, M3_DOWN, down))).contains("no majority", "[m3, m5]");
        assertThat(next(remove(M3_DOWN), M1, M2, M3_DOWN)).isEqualTo(new Step.Reduce(List.of(M1, M2)));
    }

    @Test
    void ofTwoNoneIsReplacedAtOneStroke() {
        assertThat(refusal(next(replace(M2, M4), M1, M2))).contains("add m4 first, then remove m2");
    }

    @Test
    void anAddressOrAnIdIsOneMembersOnly() {
        assertThat(refusal(next(add(new Newcomer("m4", "raft-m2", "rpc-m4")), M1, M2)))
                .contains("master m2 has an address");
        assertThat(refusal(next(add(new Newcomer("m2", "raft-x", "rpc-x")), M1, M2)))
                .contains("is a member already", "replaced");
        assertThat(refusal(next(replace(M3, new Newcomer("m2", "raft-m2", "rpc-m2")), M1, M2, M3)))
                .contains("is a member already", "to be rid of m3, remove it");
        assertThat(refusal(next(replace(M3, M4), M1, M2))).contains("m3#1 is no member");
    }

    @Test
    void thereAreNotMoreMastersThanMakeSense() {
        List<MasterMember> six = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            six.add(member("m" + i, true));
        }
        assertThat(refusal(add(new Newcomer("m7", "raft-m7", "rpc-m7")).next(six, "m1#1")))
                .contains("6 masters");
    }

    @Test
    void aChangeChangesSomething() {
        assertThatThrownBy(() -> new MemberChange(null, null)).isInstanceOf(IllegalArgumentException.class);
    }
}
