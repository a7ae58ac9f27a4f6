package cleave.master.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench.Master;
import cleave.master.core.OperatorActs.Answers;
import cleave.master.core.OperatorActs.Asked;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.SnapshotCodec;
import cleave.model.FeatureLevels;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.ErrorCode;
import cleave.wire.OperatorAct;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class OperatorActsTest {
    private static final Asked MOVE = new Asked("CN=alice", "alice@laptop", "move", "range=17.0 to=s2");

    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");
    private final List<String> done = new ArrayList<>();

    private void untilRecorded() {
        bench.pass(10_000);
        assertThat(bench.log.state().level()).isEqualTo(FeatureLevels.SUPPORTED.max());
    }

    private CompletableFuture<MasterAnswer> run(Master by, Asked asked, Supplier<CompletableFuture<MasterAnswer>> act) {
        CompletableFuture<MasterAnswer> answer = by.loop()
                .acts()
                .run(
                        asked,
                        () -> {
                            done.add(asked.what());
                            return act.get();
                        },
                        new Answers<>(AnswerCodec::status, refusal -> refusal));
        bench.time.runReady();
        return answer;
    }

    private static Supplier<CompletableFuture<MasterAnswer>> with(MasterAnswer answer) {
        return () -> CompletableFuture.completedFuture(answer);
    }

    private ActsReply acts(Master by) {
        CompletableFuture<ActsReply> reply = by.loop().acts().list(ActsRequest.getDefaultInstance());
        bench.time.runReady();
        return reply.join();
    }

    private List<String> told(Master by) {
        return acts(by).getActsList().stream()
                .map(act -> act.getCaller() + " " + act.getTold() + " " + act.getWhat() + " " + act.getArguments()
                        + " -> " + act.getOutcome())
                .toList();
    }

    @Test
    void anActIsRecordedBeforeItIsDoneAndItsOutcomeAfterThat() {
        untilRecorded();
        CompletableFuture<MasterAnswer> outcome = new CompletableFuture<>();

        CompletableFuture<MasterAnswer> answer = run(master, MOVE, () -> outcome);

        assertThat(done).containsExactly("move");
        assertThat(answer).isNotDone();
        assertThat(told(master)).containsExactly("CN=alice alice@laptop move range=17.0 to=s2 -> ");

        outcome.complete(MasterAnswer.failed(ErrorCode.NOT_FOUND, "there is no live server 's2'"));
        bench.time.runReady();

        assertThat(answer.join().code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(told(master))
                .containsExactly(
                        "CN=alice alice@laptop move range=17.0 to=s2 -> NOT_FOUND: there is no live server 's2'");
    }

    @Test
    void theNextLeaderKnowsAnActWhoseEndItsLeaderDidNotSeeAndTakesNoLateOutcome() {
        Master next = bench.master("m2");
        untilRecorded();
        run(master, MOVE, with(MasterAnswer.ok(7)));
        CompletableFuture<MasterAnswer> never = new CompletableFuture<>();
        run(master, new Asked("loopback", "", "drain", "server=s1"), () -> never);

        master.replica().cutOff();
        next.replica().lead();
        bench.pass(1_000);
        never.complete(MasterAnswer.failed(ErrorCode.NOT_LEADER, "m2"));
        bench.pass(1_000);

        assertThat(told(next))
                .containsExactly("CN=alice alice@laptop move range=17.0 to=s2 -> OK", "loopback  drain server=s1 -> ");
        assertThat(acts(next).getRecorded()).isTrue();
    }

    @Test
    void actsAreInTheSnapshot() {
        untilRecorded();
        run(master, MOVE, with(MasterAnswer.ok(7)));

        byte[] snapshot = SnapshotCodec.encode(bench.log.state());

        assertThat(SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED)).isEqualTo(bench.log.state());
        assertThat(SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED)
                        .acts()
                        .all())
                .hasSize(1);
    }

    @Test
    void aMasterThatDoesNotLeadRecordsNothingAndSaysWhoLeads() {
        Master other = bench.master("m2");
        untilRecorded();
        int before = bench.log.commands().size();

        CompletableFuture<MasterAnswer> answer =
                run(other, MOVE, with(MasterAnswer.failed(ErrorCode.NOT_LEADER, "m1")));

        assertThat(answer.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(bench.log.commands()).hasSize(before);
        assertThat(acts(other).getStatus().getCode()).isEqualTo(ErrorCode.NOT_LEADER);
    }

    @Test
    void whatCannotBeRecordedInTimeIsNotDoneAndMayBeAskedForAgain() {
        untilRecorded();
        master.replica().cutOff();
        CompletableFuture<MasterAnswer> answer = run(master, MOVE, with(MasterAnswer.ok(7)));
        assertThat(answer).isNotDone();

        master.replica().heal();
        bench.time.runReady();

        assertThat(answer.join().code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(done).isEmpty();
    }

    @Test
    void belowTheLevelAnActIsDoneAndNotRecorded() {
        Bench older = new Bench();
        Master leader = older.master("m1", new FeatureLevels(1, FeatureLevels.FENCES), FeatureLevels.FENCES);
        leader.replica().lead();
        older.pass(10_000);

        CompletableFuture<MasterAnswer> answer = leader.loop()
                .acts()
                .run(MOVE, with(MasterAnswer.ok(7)), new Answers<>(AnswerCodec::status, refusal -> refusal));
        older.time.runReady();

        assertThat(answer.join().isOk()).isTrue();
        assertThat(older.log.state().acts().all()).isEmpty();
        CompletableFuture<ActsReply> reply = leader.loop().acts().list(ActsRequest.getDefaultInstance());
        older.time.runReady();
        assertThat(reply.join().getRecorded()).isFalse();
    }

    @Test
    void aCallerThatLeavesEndsTheActAndThatIsRecorded() {
        untilRecorded();
        CompletableFuture<MasterAnswer> act = new CompletableFuture<>();
        CompletableFuture<MasterAnswer> answer = run(master, MOVE, () -> act);

        answer.cancel(false);
        bench.time.runReady();

        assertThat(act).isCancelled();
        assertThat(told(master)).singleElement().asString().endsWith("-> its caller left before the end");
    }

    @Test
    void onlyThoseSinceATimeAreListed() {
        untilRecorded();
        run(master, MOVE, with(MasterAnswer.ok(7)));
        bench.time.advanceMillis(1_000);
        long since = bench.time.ticks();
        run(master, new Asked("CN=bob", "", "set", "a=b"), with(MasterAnswer.ok(8)));

        CompletableFuture<ActsReply> reply = master.loop()
                .acts()
                .list(ActsRequest.newBuilder().setSinceTicks(since).build());
        bench.time.runReady();

        assertThat(reply.join().getActsList())
                .extracting(OperatorAct::getCaller)
                .containsExactly("CN=bob");
    }

    @Test
    void theAnswerOfSettingsGoesTheSameWay() {
        untilRecorded();
        var answer = master.loop()
                .acts()
                .run(
                        new Asked("CN=bob", "", "set", "balancer.split=maybe"),
                        () -> master.loop().operator().change(Map.of("balancer.split", "maybe")),
                        new Answers<>(cleave.wire.SettingsReply::getStatus, refusal -> {
                            throw new AssertionError(refusal);
                        }));
        bench.time.runReady();

        assertThat(answer.join().getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        assertThat(told(master)).singleElement().asString().contains("-> INVALID: ", "balancer.split");
    }
}
