package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.wire.MasterPeer;
import cleave.wire.StatusReply;
import org.junit.jupiter.api.Test;

class GroupCommandTest {
    private static final StatusReply STATUS = StatusReply.newBuilder()
            .addPeers(MasterPeer.newBuilder().setId("m1").setMember("m1"))
            .addPeers(MasterPeer.newBuilder().setId("m2").setMember("m2#1"))
            .addPeers(MasterPeer.newBuilder().setId("m2").setMember("m2#2"))
            .build();

    @Test
    void aMasterIsNamedByItsIdOrAsTheGroupCallsIt() {
        assertThat(GroupCommand.member(STATUS, "m1").getMember()).isEqualTo("m1");
        assertThat(GroupCommand.member(STATUS, "m2#2").getMember()).isEqualTo("m2#2");
    }

    @Test
    void aNameThatIsNobodysOrTwoMembersIsRefused() {
        assertThatThrownBy(() -> GroupCommand.member(STATUS, "m9"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("there is no master m9; there are m1, m2#1, m2#2");
        assertThatThrownBy(() -> GroupCommand.member(STATUS, "m2"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("say which: m1, m2#1, m2#2");
    }

    @Test
    void aNewMasterHasAnIdAndTwoAddresses() {
        assertThat(GroupCommand.newMaster("m4=h:1=h:2").getRpc()).isEqualTo("h:2");
        for (String wrong : new String[] {"m4", "m4=h:1", "=h:1=h:2", "m4#1=h:1=h:2"}) {
            assertThatThrownBy(() -> GroupCommand.newMaster(wrong)).hasMessageContaining("is not ID=RAFT=RPC");
        }
        assertThatThrownBy(() -> GroupCommand.newMaster("m4=h=h:2")).hasMessageContaining("host:port");
        assertThatThrownBy(() -> GroupCommand.newMaster("m4=h:1/m4=h:2"))
                .hasMessageContaining("'h:1/m4' is no Raft address");
    }

    @Test
    void aNewMasterIsNotSaidToBeWhereverItIsReadOf() {
        for (String wrong : new String[] {"m4=0.0.0.0:1=h:2", "m4=h:1=[::]:2"}) {
            assertThatThrownBy(() -> GroupCommand.newMaster(wrong))
                    .hasMessageContaining("no address that the other masters can reach: name the machine of m4");
        }
    }
}
