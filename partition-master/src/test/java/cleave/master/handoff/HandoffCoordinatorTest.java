package cleave.master.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeRanges;
import cleave.master.loop.FakeServer;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffProgress;
import cleave.wire.HandoffState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Planned handoffs as operators ask for them. */
class HandoffCoordinatorTest {
    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");
    private FakeServer first;
    private FakeServer second;

    @BeforeEach
    void twoServersAndThreeRanges() {
        first = bench.server("s1", master);
        bench.pass(700);
        bench.obey(first);
        second = bench.server("s2", master);
        bench.beDiligent();
        bench.pass(300);
        bench.splitAt(3, "b", "c");
        bench.pass(300);
        bench.ranges.calls().clear();
    }

    @Test
    void aRangeIsMovedByItsOwner() {
        MasterAnswer answer = await(move(row(0), "s2"));
        assertThat(answer.isOk()).isTrue();
        assertThat(row(0).owner()).isEqualTo(second.incarnation());
        HandoffOrder order = bench.ranges.orders().get(0);
        assertThat(order.getTargets(0).getAddress()).isEqualTo("address-of-s2");
        assertThat(kinds()).containsSubsequence("handoff-asked", "handoff-begun", "handoff-ended");
    }

    @Test
    void aHandoffIsCountedByKindAndOutcome() {
        await(move(row(0), "s2"));

        assertThat(bench.metric("cleave_master_handoffs_ended_total", "kind", "move", "outcome", "done"))
                .isEqualTo(1);
        assertThat(bench.metric("cleave_master_handoffs_ended_total", "kind", "move", "outcome", "given-up"))
                .isZero();
        assertThat(bench.metric("cleave_master_handoff_seconds_count", "kind", "move"))
                .isEqualTo(1);
        assertThat(bench.metric("cleave_master_handoff_prepare_seconds_count", "kind", "move"))
                .isEqualTo(1);
        assertThat(bench.metric("cleave_master_handoff_seconds_count", "kind", "split"))
                .isZero();
    }

    @Test
    void whatMayNotBeginIsCountedByItsReason() {
        bench.silence(second);
        second.breakStream();
        move(row(0), "s2");
        bench.pass(100);

        assertThat(bench.metric("cleave_master_handoffs_refused_total", "reason", "target-silent"))
                .isPositive();
        assertThat(bench.metric("cleave_master_handoffs_refused_total", "reason", "target-draining"))
                .isZero();
    }

    @Test
    void aMoveToWhereTheRangeIsNeedsNothing() {
        assertThat(await(move(row(0), "s1")).isOk()).isTrue();
        assertThat(bench.ranges.orders()).isEmpty();
    }

    @Test
    void aRangeIsMergedWithItsRightNeighbour() {
        assertThat(await(merge(row(0), null)).isOk()).isTrue();
        assertThat(bench.log.state().rows().all()).hasSize(2);
        assertThat(row(0).range().end()).isEqualTo(Key.beforePartition(3, "c"));
    }

    @Test
    void rangesOfTwoServersAreMergedByAMoveAndAMerge() {
        await(move(row(1), "s2"));
        bench.ranges.orders().clear();
        assertThat(await(merge(row(1), row(0))).isOk()).isTrue();
        assertThat(bench.ranges.orders()).hasSize(2);
        assertThat(bench.ranges.orders().get(1).getSourcesCount()).isEqualTo(2);
        assertThat(row(0).owner()).isEqualTo(first.incarnation());
    }

    @Test
    void rangesThatAreNoNeighboursAreNotMerged() {
        MasterAnswer answer = await(merge(row(0), row(2)));
        assertThat(answer.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(answer.message()).contains("no neighbours");
        assertThat(await(merge(row(2), null)).message()).contains("no neighbour on its right");
    }

    @Test
    void aServerThatIsNotThereIsNamedWithThoseThatAre() {
        MasterAnswer answer = await(move(row(0), "s7"));
        assertThat(answer.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(answer.message()).contains("s7").contains("s1, s2");
    }

    @Test
    void aServerTakesPartInTwoHandoffsAtMost() {
        bench.ranges.hold(true);
        for (int i = 0; i < 3; i++) {
            move(row(i), "s2");
        }
        bench.pass(1_000);
        assertThat(bench.ranges.held()).hasSize(2);
        assertThat(handoffs()).extracting(HandoffState::getKind).containsExactly("move", "move");
    }

    @Test
    void aRangeIsInOneHandoffAtATime() {
        bench.ranges.hold(true);
        move(row(0), "s2");
        merge(row(0), null);
        bench.pass(1_000);
        assertThat(bench.ranges.held()).hasSize(1);
    }

    @Test
    void takeoversGoFirst() {
        FakeServer third = bench.server("s3", master);
        bench.pass(300);
        await(move(row(2), "s3"));
        bench.ranges.orders().clear();
        bench.log.apply(new DeclareDead(List.of(third.incarnation())));
        bench.silence(third);
        CompletableFuture<MasterAnswer> moved = move(row(0), "s2");
        bench.pass(1_000);
        assertThat(bench.ranges.orders()).isEmpty();
        assertThat(moved).isNotDone();
        bench.obey(first);
        bench.obey(second);
        assertThat(await(moved).isOk()).isTrue();
    }

    @Test
    void anOutcomeThatNobodyKnowsIsSettledByTheMap() {
        bench.ranges.fail(1, ErrorCode.UNKNOWN_OUTCOME, true);
        assertThat(await(move(row(0), "s2")).isOk()).isTrue();
        assertThat(bench.ranges.orders()).hasSize(1);
    }

    @Test
    void aLostCallIsWaitedForWhileTheOwnerSaysThatItGoesOn() {
        bench.ranges.hold(true);
        CompletableFuture<MasterAnswer> moved = move(row(0), "s2");
        bench.time.runReady();
        HandoffOrder order = bench.ranges.orders().get(0);
        first.carryOut(HandoffProgress.newBuilder()
                .setHandoff(order.getHandoff())
                .setStep("catch up")
                .build());
        bench.ranges.cut(order.getHandoff());
        bench.pass(5_000);
        assertThat(bench.ranges.orders()).hasSize(1);
        assertThat(handoffs().get(0).getStep()).contains("unknown").contains("cut");
        bench.ranges.carriedOut(order, null);
        first.carryOut();
        assertThat(await(moved).isOk()).isTrue();
        assertThat(bench.ranges.orders()).hasSize(1);
    }

    @Test
    void aLostOrderIsGivenAgainWhenTheOwnerDoesNotCarryItOut() {
        bench.ranges.fail(1, ErrorCode.UNKNOWN_OUTCOME, false);
        assertThat(await(move(row(0), "s2")).isOk()).isTrue();
        assertThat(bench.ranges.orders()).hasSize(2);
        assertThat(kinds()).contains("handoff-given-up");
    }

    @Test
    void anOwnersRefusalForGoodEndsTheWishWithItsReason() {
        bench.ranges.fail(1, ErrorCode.INVALID, false);
        MasterAnswer answer = await(move(row(0), "s2"));
        assertThat(answer.code()).isEqualTo(ErrorCode.CONDITION_FAILED);
        assertThat(answer.message()).contains("as the test wants");
        assertThat(kinds()).endsWith("handoff-given-up", "handoff-refused");
    }

    @Test
    void aHandoffIsCancelledWithWhatWantedIt() {
        bench.ranges.hold(true);
        CompletableFuture<MasterAnswer> moved = move(row(0), "s2");
        bench.time.runReady();
        long number = handoffs().get(0).getHandoff();
        assertThat(await(master.loop().operator().cancel(number)).isOk()).isTrue();
        assertThat(await(moved).message()).contains("cancelled");
        assertThat(handoffs()).isEmpty();
        assertThat(await(master.loop().operator().cancel(number)).code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void aLeaderThatIsOneNoMoreAnswersWhoeverWaits() {
        bench.ranges.hold(true);
        CompletableFuture<MasterAnswer> moved = move(row(0), "s2");
        bench.time.runReady();
        master.replica().stepDown();
        bench.pass(300);
        assertThat(moved.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
    }

    /** The wish looks at the map again before the master has noticed. */
    @Test
    void aLeaderThatWasRemovedAnswersWhoeverWaits() {
        bench.ranges.hold(true);
        move(row(0), "s2");
        bench.time.runReady();
        CompletableFuture<MasterAnswer> merged = merge(row(0), null);
        bench.time.runReady();
        master.replica().isRemoved();
        for (int millis = 0; millis < 300; millis++) {
            bench.time.advanceMillis(1);
        }
        assertThat(merged.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
    }

    @Test
    void theNextLeaderShowsWhatTheLastOneOrdered() {
        first.carryOut(
                HandoffProgress.newBuilder().setHandoff(77).setStep("prepare").build());
        bench.pass(300);
        assertThat(handoffs()).extracting(HandoffState::getHandoff).containsExactly(77L);
    }

    @Test
    void whatADeadServerSaidLastIsNotShown() {
        second.carryOut(
                HandoffProgress.newBuilder().setHandoff(77).setStep("prepare").build());
        bench.pass(300);
        assertThat(handoffs()).hasSize(1);
        bench.log.apply(new DeclareDead(List.of(second.incarnation())));
        bench.pass(300);
        assertThat(handoffs()).isEmpty();
    }

    @Test
    void aDrainingServerIsEmptiedAndGetsNothing() {
        assertThat(await(drain("s1", false)).isOk()).isTrue();
        bench.pass(3_000);
        assertThat(bench.log.state().rows().ownedBy(first.incarnation())).isEmpty();
        assertThat(kinds()).containsOnlyOnce("drain-begun").containsOnlyOnce("drain-ended");
        assertThat(await(move(row(0), "s1")).message()).contains("draining");
    }

    @Test
    void aProcessThatEndsDrainsItselfAndNoSuccessorOfItsId() {
        Incarnation living = first.incarnation();
        Incarnation gone = new Incarnation(living.server(), living.number() - 1);
        assertThat(await(drain(gone)).code()).isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(bench.log.state().isDraining(living)).isFalse();

        assertThat(await(drain(living)).isOk()).isTrue();
        assertThat(bench.log.state().isDraining(living)).isTrue();
    }

    @Test
    void theRangesOfADrainingServerGoOneAfterTheOther() {
        bench.ranges.hold(true);
        await(drain("s1", false));
        bench.pass(3_000);
        assertThat(bench.ranges.held()).hasSize(1);
    }

    @Test
    void aDrainThatIsUndoneLeavesTheRest() {
        bench.ranges.hold(true);
        await(drain("s1", false));
        await(drain("s1", true));
        bench.ranges.hold(false);
        bench.ranges
                .held()
                .values()
                .forEach(call ->
                        call.complete(FakeRanges.outcome(FakeRanges.status(ErrorCode.BUSY, "busy"), List.of())));
        bench.pass(3_000);
        assertThat(bench.log.state().rows().ownedBy(first.incarnation())).hasSize(3);
        assertThat(kinds()).contains("drain-undone");
    }

    @Test
    void theLastServerCannotBeDrained() {
        await(drain("s2", false));
        MasterAnswer answer = await(drain("s1", false));
        assertThat(answer.code()).isEqualTo(ErrorCode.CONDITION_FAILED);
        assertThat(answer.message()).contains("no other server");
    }

    @Test
    void aRangeThatCannotBeMovedDoesNotHoldTheOthersUp() {
        bench.ranges.fail(1, ErrorCode.UNAVAILABLE, false);
        await(drain("s1", false));
        bench.pass(5_000);
        assertThat(bench.log.state().rows().ownedBy(first.incarnation())).isEmpty();
    }

    @Test
    void takeoversSpareServersThatDrain() {
        bench.log.apply(new Drain(first.incarnation(), true));
        bench.pass(3_000);
        FakeServer third = bench.server("s3", master);
        bench.pass(300);
        bench.log.apply(new DeclareDead(List.of(second.incarnation())));
        bench.silence(second);
        bench.pass(1_000);
        assertThat(third.orders()).hasSize(3);
        assertThat(first.orders()).isEmpty();
    }

    @Test
    void settingsAreSeededShownAndChanged() {
        assertThat(bench.log.state().settings()).isNotNull();
        var changed = master.loop().operator().change(Map.of("balancer.split-load", "500"));
        bench.time.runReady();
        assertThat(changed.join().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(bench.log.state().effectiveSettings().splitLoad()).isEqualTo(500);
        var refused = master.loop().operator().change(Map.of("balancer.split-lode", "500"));
        bench.time.runReady();
        assertThat(refused.join().getStatus().getMessage())
                .contains("known are")
                .contains("balancer.split-load");
        assertThat(kinds()).containsOnlyOnce("settings-changed");
    }

    @Test
    void eventsAreFollowedByNumber() {
        List<Event> all = events(0);
        long middle = all.get(all.size() / 2).getNumber();
        assertThat(events(middle)).isEqualTo(all.subList(all.size() / 2 + 1, all.size()));
        assertThat(all).extracting(Event::getNumber).isSorted();
    }

    @Test
    void aSplitAtKeysOfOneRangeIsOneHandoff() {
        var split = master.loop()
                .operator()
                .split(AdminSplitRequest.newBuilder()
                        .addKeys(Key.beforeTable(5).toWire())
                        .addKeys(Key.beforeTable(6).toWire())
                        .build());
        assertThat(await(split).isOk()).isTrue();
        assertThat(bench.ranges.orders()).hasSize(1);
        assertThat(bench.ranges.orders().get(0).getTargetsCount()).isEqualTo(3);
    }

    private Row row(int ordinal) {
        return List.copyOf(bench.log.state().rows().all()).get(ordinal);
    }

    private CompletableFuture<MasterAnswer> move(Row row, String server) {
        return master.loop()
                .operator()
                .move(AdminMoveRequest.newBuilder()
                        .setRange(row.id())
                        .setServer(server)
                        .build());
    }

    private CompletableFuture<MasterAnswer> merge(Row row, @org.jspecify.annotations.Nullable Row with) {
        return master.loop()
                .operator()
                .merge(AdminMergeRequest.newBuilder()
                        .setRange(row.id())
                        .setWith(with == null ? 0 : with.id())
                        .build());
    }

    private CompletableFuture<MasterAnswer> drain(String server, boolean undo) {
        return master.loop()
                .operator()
                .drain(AdminDrainRequest.newBuilder()
                        .setServer(server)
                        .setUndo(undo)
                        .build());
    }

    private CompletableFuture<MasterAnswer> drain(Incarnation incarnation) {
        return master.loop()
                .operator()
                .drain(AdminDrainRequest.newBuilder()
                        .setServer(incarnation.server())
                        .setNumber(incarnation.number())
                        .build());
    }

    private List<HandoffState> handoffs() {
        var reply = master.loop().operator().handoffs();
        bench.time.runReady();
        return reply.join().getHandoffsList();
    }

    private List<Event> events(long after) {
        var reply = master.loop()
                .operator()
                .events(EventsRequest.newBuilder().setAfter(after).build());
        bench.time.runReady();
        return reply.join().getEventsList();
    }

    private List<String> kinds() {
        return events(0).stream().map(Event::getKind).toList();
    }

    private MasterAnswer await(CompletableFuture<MasterAnswer> answer) {
        for (int i = 0; i < 400 && !answer.isDone(); i++) {
            bench.pass(200);
        }
        return answer.join();
    }
}
