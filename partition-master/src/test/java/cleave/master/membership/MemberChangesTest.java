package cleave.master.membership;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.state.MasterAnswer;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.GroupMember;
import cleave.wire.Status;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Changes of the masters' group on the loop: one at a time, and the next leader continues them. */
class MemberChangesTest {
    private static final ChangeMastersRequest ADD = ChangeMastersRequest.newBuilder()
            .setIn(GroupMember.newBuilder().setId("m9").setRaft("raft-m9:1").setRpc("rpc-m9:1"))
            .build();

    private final Bench bench = new Bench();
    private final Bench.Master m1 = bench.leader("m1");
    private final Bench.Master m2 = bench.master("m2");

    private CompletableFuture<MasterAnswer> ask(Bench.Master master, ChangeMastersRequest request) {
        CompletableFuture<MasterAnswer> answer = master.loop().operator().changeMasters(request);
        bench.time.runReady();
        return answer;
    }

    @Test
    void aMasterIsToldToJoinAndThenMadeAMember() {
        bench.joins.blank("rpc-m9:1");
        CompletableFuture<MasterAnswer> answer = ask(m1, ADD);
        assertThat(bench.joins.requests).hasSize(1);
        assertThat(bench.joins.requests.get(0).getBesideList()).containsExactly("m1", "m2");
        assertThat(bench.joins.requests.get(0).getTerm()).isEqualTo(m1.replica().leaderTerm());
        assertThat(bench.log.reconfigurations.get(0).names()).containsExactly("m1", "m2", "m9#1");
        assertThat(answer).isNotDone();

        bench.log.reconfigurations.get(0).answer().complete(MasterAnswer.ok(7));
        bench.time.runReady();
        assertThat(answer.join().isOk()).isTrue();
        CompletableFuture<cleave.wire.EventsReply> events =
                m1.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();
        assertThat(events.join().getEventsList().stream().map(Event::getKind))
                .contains("masters-changing", "masters-changed");
    }

    @Test
    void oneChangeIsMadeAtATime() {
        bench.joins.blank("rpc-m9:1");
        CompletableFuture<MasterAnswer> first = ask(m1, ADD);
        MasterAnswer second = ask(m1, ADD).join();
        assertThat(second.code()).isEqualTo(ErrorCode.CONDITION_FAILED);
        assertThat(second.message()).contains("under way: add m9");
        assertThat(first).isNotDone();
    }

    @Test
    void aMasterThatDoesNotAnswerIsAskedForAWhileAndThenNamed() {
        CompletableFuture<MasterAnswer> answer = ask(m1, ADD);
        bench.time.advanceMillis(1_000);
        assertThat(answer).isNotDone();
        bench.joins.blank("rpc-m9:1");
        bench.time.advanceMillis(1_000);
        assertThat(bench.log.reconfigurations).hasSize(1);
        bench.log.reconfigurations.get(0).answer().complete(MasterAnswer.ok(7));
        bench.time.runReady();

        bench.joins.answers.clear();
        CompletableFuture<MasterAnswer> silent = ask(m1, ADD);
        bench.time.advanceMillis(10_000);
        assertThat(silent.join().code()).isEqualTo(ErrorCode.CONDITION_FAILED);
        assertThat(silent.join().message()).contains("no master answers at rpc-m9:1");
        assertThat(bench.log.reconfigurations).hasSize(1);
    }

    @Test
    void aMasterThatRefusesToJoinIsNoMember() {
        bench.joins.answers.put(
                "rpc-m9:1",
                Status.newBuilder()
                        .setCode(ErrorCode.ALREADY_EXISTS)
                        .setMessage("of another cluster")
                        .build());
        assertThat(ask(m1, ADD).join().message()).isEqualTo("of another cluster");
        assertThat(bench.log.reconfigurations).isEmpty();
    }

    @Test
    void theNextLeaderGoesOnWithWhatTheLeaderBegan() {
        bench.joins.blank("rpc-m9:1");
        CompletableFuture<MasterAnswer> interrupted = ask(m1, ADD);
        m2.replica().lead();
        bench.time.advanceMillis(300);
        assertThat(interrupted.join().code()).isEqualTo(ErrorCode.NOT_LEADER);

        CompletableFuture<MasterAnswer> resumed = ask(m2, ADD);
        bench.log.reconfigurations.get(1).answer().complete(MasterAnswer.ok(9));
        bench.time.runReady();
        assertThat(resumed.join().isOk()).isTrue();
    }

    @Test
    void theLeaderThatIsRemovedHasAnotherLeadFirst() {
        ChangeMastersRequest remove =
                ChangeMastersRequest.newBuilder().setOut("m1").build();
        assertThat(ask(m1, remove).join().code()).isEqualTo(ErrorCode.NOT_LEADER);
        bench.time.advanceMillis(300);
        assertThat(m2.replica().leaderTerm()).isNotZero();

        CompletableFuture<MasterAnswer> resumed = ask(m2, remove);
        assertThat(bench.log.reconfigurations.get(0).names()).containsExactly("m2");
        bench.log.reconfigurations.get(0).answer().complete(MasterAnswer.ok(9));
        bench.time.runReady();
        assertThat(resumed.join().isOk()).isTrue();
    }

    @Test
    void aLeaderThatIsCutOffTellsNobodyToJoin() {
        bench.joins.blank("rpc-m9:1");
        m1.replica().cutOff();
        CompletableFuture<MasterAnswer> answer = ask(m1, ADD);
        bench.time.advanceMillis(100);
        assertThat(bench.joins.requests).isEmpty();
        assertThat(answer).isNotDone();
    }

    @Test
    void aMasterThatIsReplacedByItselfIsToldToJoinOnlyWhenItIsNoMemberAnyMore() {
        bench.master("m3");
        bench.joins.blank("rpc-m2:1");
        GroupMember.Builder itself =
                GroupMember.newBuilder().setId("m2").setRaft("raft-m2:1").setRpc("rpc-m2:1");

        CompletableFuture<MasterAnswer> answer = ask(
                m1, ChangeMastersRequest.newBuilder().setOut("m2").setIn(itself).build());

        assertThat(bench.joins.requests).isEmpty();
        assertThat(bench.log.reconfigurations.get(0).names()).containsExactly("m1", "m3");
        bench.log.leaves("m2");
        bench.log.reconfigurations.get(0).answer().complete(MasterAnswer.ok(7));
        bench.time.runReady();
        assertThat(bench.joins.requests.get(0).getBesideList()).containsExactly("m1", "m3");
        assertThat(bench.log.reconfigurations.get(1).names()).containsExactly("m1", "m2#1", "m3");
        assertThat(answer).isNotDone();
    }

    @Test
    void whatIsNoChangeIsRefused() {
        assertThat(ask(m1, ChangeMastersRequest.getDefaultInstance()).join().code())
                .isEqualTo(ErrorCode.INVALID);
    }
}
