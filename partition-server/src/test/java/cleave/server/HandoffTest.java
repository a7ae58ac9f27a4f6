package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Row;
import cleave.server.range.MemoryBudget;
import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.ReadReply;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Planned handoffs: splits, merges and moves while requests come, and what becomes of them when something fails. */
class HandoffTest {
    private static final Key AT_H = Key.beforePartition(7, "h");
    private static final Key AT_P = Key.beforePartition(7, "p");

    private Cluster cluster;
    private Node first;
    private Node second;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1500);
        first = cluster.start("s1");
        second = cluster.start("s2");
        for (char letter = 'a'; letter <= 'z'; letter++) {
            first.write(WriteKind.INSERT, keyOf(letter), String.valueOf(letter));
        }
        cluster.settle();
    }

    private static Key keyOf(char letter) {
        return Key.of(7, String.valueOf(letter), "r");
    }

    private Answer<HandoffOutcome> split() {
        return cluster.split("s1", cluster.masters.onlyRow(), List.of(AT_H, AT_P), "s1", "s2", "s1");
    }

    private Answer<HandoffOutcome> move() {
        return cluster.split("s1", cluster.masters.onlyRow(), List.of(), "s2");
    }

    private static ErrorCode code(Answer<HandoffOutcome> outcome) {
        return outcome.get().getStatus().getCode();
    }

    private Node ownerOf(char letter) {
        for (Row row : cluster.masters.rows.values()) {
            if (row.range().contains(keyOf(letter)) && row.owner() != null) {
                return cluster.node(row.owner().server());
            }
        }
        throw new AssertionError("nobody owns " + letter);
    }

    private void assertAllThere() {
        for (char letter = 'a'; letter <= 'z'; letter++) {
            assertThat(ownerOf(letter).value(keyOf(letter))).isEqualTo(String.valueOf(letter));
        }
    }

    private void assertGoesOn(Range range) {
        assertThat(first.range()).isSameAs(range);
        assertThat(first.write(WriteKind.REPLACE, keyOf('a'), "new").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        first.write(WriteKind.REPLACE, keyOf('a'), "a");
        assertAllThere();
    }

    private List<String> madeBy(String server) {
        return cluster.dfs.paths("-" + server + ".");
    }

    @Test
    void thePartsOfASplitAreServedByTheirOwnersAndHoldWhatIsTheirs() {
        Answer<HandoffOutcome> split = split();
        cluster.settle();
        assertThat(code(split)).isEqualTo(ErrorCode.OK);
        assertThat(split.get().getRowsList()).hasSize(3);
        assertThat(first.ranges()).hasSize(2);
        assertThat(second.ranges()).hasSize(1);
        assertAllThere();
        for (char letter = 'a'; letter <= 'z'; letter++) {
            assertThat(ownerOf(letter)
                            .write(WriteKind.REPLACE, keyOf(letter), "new")
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.OK);
        }
        assertThat(first.metrics.handoffs.labels("split", "done").get()).isEqualTo(1);
    }

    @Test
    void aMoveKeepsTheRangeAndItsTimestampsRise() {
        long id = cluster.masters.onlyRow().id();
        long before = first.write(WriteKind.REPLACE, keyOf('a'), "a").getTimestamps(0);
        cluster.loop.jumpTicks(-1_000_000_000);
        Answer<HandoffOutcome> move = move();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(first.ranges()).isEmpty();
        assertThat(second.range().ownership().range()).isEqualTo(id);
        assertAllThere();
        assertThat(second.write(WriteKind.REPLACE, keyOf('a'), "a").getTimestamps(0))
                .isGreaterThan(before);
    }

    @Test
    void aPreparedTargetThatIsServedForgetsFailedOpeningsOfItsRange() {
        cluster.cutOff.add("s1");
        cluster.masters.taker = "s2";
        cluster.masters.declareDead(cluster.incarnation("s1"));
        second.stores.opensFail = true;
        cluster.loop.advanceMillis(10_000); // Attempts fail, with growing delays: the last ones take seconds.
        cluster.masters.taker = "s1";
        cluster.cutOff.clear();
        cluster.settle();
        second.stores.opensFail = false;
        Answer<HandoffOutcome> move = move();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);

        second.stores.fails = true; // The range is closed, and opened anew by an order, which fails once.
        second.stores.opensFail = true;
        Node.read(second.range(), keyOf('a'));
        int failureReports = cluster.masters.failureReports.size();
        assertThat(cluster.loop.advanceUntil(
                        () -> cluster.masters.failureReports.size() >= failureReports + 2, 5_000_000_000L))
                .isTrue();
        second.stores.fails = false;
        second.stores.opensFail = false;
        cluster.settle();

        assertThat(second.ranges()).hasSize(1);
    }

    @Test
    void aMergeJoinsWhatBothHold() {
        split();
        cluster.settle();
        Row middle = cluster.masters.inKeyOrder().get(1);
        cluster.split("s2", middle, List.of(), "s1");
        cluster.settle();
        for (int i = 0; i < 30; i++) {
            first.write(WriteKind.INSERT, Key.of(7, "k", "row" + i), "1"); // One part has a checkpoint of its own.
        }
        first.write(WriteKind.DELETE, keyOf('z'), null);
        Answer<HandoffOutcome> merge = cluster.send("s1", cluster.order(cluster.masters.inKeyOrder(), List.of(), "s1"));
        cluster.settle();
        assertThat(code(merge)).isEqualTo(ErrorCode.OK);
        assertThat(cluster.masters.rows).hasSize(1);
        assertThat(first.value(keyOf('z'))).isNull();
        first.write(WriteKind.INSERT, keyOf('z'), "z");
        assertAllThere();
        assertThat(first.value(Key.of(7, "k", "row29"))).isEqualTo("1");

        cluster.takeOver("s1", "s2");
        assertAllThere();
        assertThat(second.value(Key.of(7, "k", "row29"))).isEqualTo("1");
    }

    @Test
    void splitThenCheckpointOneChildThenMergeThenTakeOver() {
        split();
        cluster.settle();
        Row middle = cluster.masters.inKeyOrder().get(1);
        cluster.split("s2", middle, List.of(), "s1");
        cluster.settle();
        for (int i = 0; i < 60; i++) {
            first.write(WriteKind.INSERT, Key.of(7, "b", "row" + i), "1");
        }
        cluster.settle();
        Answer<HandoffOutcome> merge = cluster.send("s1", cluster.order(cluster.masters.inKeyOrder(), List.of(), "s2"));
        cluster.settle();
        assertThat(code(merge)).isEqualTo(ErrorCode.OK);
        cluster.takeOver("s2", "s1");
        assertAllThere();
        for (int i = 0; i < 60; i++) {
            assertThat(first.value(Key.of(7, "b", "row" + i))).isEqualTo("1");
        }
        first.write(WriteKind.REPLACE, keyOf('m'), "new");
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(3000);
        cluster.takeOver("s1", "s2");
        assertThat(second.value(keyOf('m'))).isEqualTo("new");
    }

    @Test
    void aPartsCheckpointAndATakeoverKeepTheOtherPartsOut() {
        split();
        cluster.settle();
        for (int i = 0; i < 60; i++) {
            second.write(WriteKind.INSERT, Key.of(7, "k", "row" + i), "1");
        }
        cluster.takeOver("s2", "s1");
        assertThat(first.ranges()).hasSize(3);
        assertThat(first.value(Key.of(7, "k", "row59"))).isEqualTo("1");
        assertAllThere();
    }

    @Test
    void whatIsWrittenWhileTargetsArePreparedIsThereAfterwards() {
        second.stores.holdOpens();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(10);
        for (int i = 0; i < 50; i++) {
            assertThat(first.write(WriteKind.INSERT, Key.of(7, "during", "row" + i), "1")
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.OK);
        }
        assertThat(move.isGiven()).isFalse();
        second.stores.releaseOpens();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(second.value(Key.of(7, "during", "row49"))).isEqualTo("1");
        assertAllThere();
    }

    /** Begins a move whose switch does not end before the appends are released. */
    private Answer<HandoffOutcome> moveThatDrains() {
        cluster.dfs.holdAppends(path -> path.equals(first.logPath()));
        Node.send(first.range(), Node.op(WriteKind.REPLACE, keyOf('c'), "c"));
        cluster.loop.runReady();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        assertThat(cluster.masters.onlyRow().owner()).isEqualTo(cluster.incarnation("s2"));
        return move;
    }

    @Test
    void requestsThatComeInTheSwitchWaitAndAreToldTheNewOwner() {
        Range range = first.range();
        Answer<HandoffOutcome> move = moveThatDrains();
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        Answer<ReadReply> read = Node.read(range, keyOf('a'));
        Answer<WriteReply> late = Node.send(range, 100, Node.op(WriteKind.REPLACE, keyOf('a'), "late"));
        cluster.loop.advanceMillis(200);
        assertThat(write.isGiven()).isFalse();
        assertThat(read.isGiven()).isFalse();
        assertThat(late.get().getStatus().getCode()).as("its deadline holds").isEqualTo(ErrorCode.BUSY);
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(read.get().getStatus().getCode()).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(first.directory.successor(keyOf('a'))).isEqualTo(cluster.masters.onlyRow());
        assertThat(first.metrics.requestsWaited.get()).isEqualTo(3);
        assertThat(second.value(keyOf('a'))).isEqualTo("a");
    }

    @Test
    void moreRequestsThanMayWaitInTheSwitchAreBusy() {
        Range range = first.range();
        Answer<HandoffOutcome> move = moveThatDrains();
        List<Answer<WriteReply>> writes = new ArrayList<>();
        for (int i = 0; i < Cluster.SETTINGS.queueRequests(); i++) { // One is in the log already.
            writes.add(Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new")));
        }
        cluster.loop.runReady();

        Answer<WriteReply> last = writes.remove(writes.size() - 1);
        assertThat(last.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        assertThat(writes).noneMatch(Answer::isGiven);
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(writes).allMatch(write -> write.get().getStatus().getCode() == ErrorCode.NOT_OWNER);
    }

    @Test
    void requestsThatComeToTheNewOwnerBeforeItServesWaitThere() {
        Answer<HandoffOutcome> move = moveThatDrains();
        cluster.loop.advanceMillis(300); // The masters have ordered it to be opened meanwhile.
        Row row = cluster.masters.onlyRow();
        Route route =
                Route.newBuilder().setRange(row.id()).setEpoch(row.epoch()).build();
        Range arriving = Objects.requireNonNull(second.directory.range(route));
        assertThat(second.directory.range(
                        route.toBuilder().setEpoch(row.epoch() - 1).build()))
                .as("an earlier epoch is not expected")
                .isNull();
        Answer<WriteReply> write = Node.send(arriving, 5_000, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        Answer<WriteReply> late = Node.send(arriving, 50, Node.op(WriteKind.REPLACE, keyOf('a'), "late"));
        Answer<ReadReply> read = Node.read(arriving, keyOf('b'));
        cluster.loop.advanceMillis(100);
        assertThat(late.get().getStatus().getCode()).as("its deadline holds").isEqualTo(ErrorCode.BUSY);
        assertThat(write.isGiven() || read.isGiven() || move.isGiven()).isFalse();
        assertThat(second.metrics.requestsInside.get()).isEqualTo(2);
        assertThat(second.metrics.bytesHeld.get()).isGreaterThan(2.0 * MemoryBudget.OVERHEAD_BYTES);
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(Node.valueOf(read.get())).isEqualTo("b");
        assertThat(second.value(keyOf('a'))).isEqualTo("new");
        assertThat(second.metrics.bytesHeld.get()).isZero();
        assertThat(second.directory.range(route)).isSameAs(second.range());
        assertThat(second.range().ownership().agreesWith(route)).isTrue();
    }

    @Test
    void aMastersOrderDoesNotCutOffASourceThatStillServes() {
        Range range = first.range();
        String log = first.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<WriteReply> inFlight = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        cluster.loop.runReady();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(450); // Heartbeats come each 200 ms, and with each of their answers the order.
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(inFlight.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(second.value(keyOf('a'))).isEqualTo("new");
    }

    @Test
    void aSourceServesUntilItHearsOfTheCommit() {
        Range range = first.range();
        cluster.masters.holdCommands();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(1_000);
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        Answer<ReadReply> read = Node.read(range, keyOf('b'));
        cluster.loop.runReady();
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(Node.valueOf(read.get())).isEqualTo("b");
        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(second.value(keyOf('a'))).isEqualTo("new");
    }

    @Test
    void whatIsInFlightIsDrainedFirst() {
        Range range = first.range();
        cluster.masters.refuseHandoffs(true);
        cluster.dfs.holdAppends(path -> path.equals(first.logPath()));
        Answer<WriteReply> inFlight = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        cluster.dfs.holdBarrierAnswers();
        Answer<ReadReply> read = Node.read(range, keyOf('b'));
        cluster.loop.runReady();
        String log = cluster.dfs.newestOpenLog("s1");
        Answer<HandoffOutcome> split = split();
        cluster.loop.advanceMillis(50);
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        cluster.dfs.releaseAppends();
        cluster.dfs.releaseBarrierAnswers();
        cluster.settle();
        assertThat(Node.valueOf(read.get())).isEqualTo("b");
        assertThat(inFlight.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(code(split)).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void aRefusedCommitGoesOnInANewLogAndTheTargetsForget() {
        Range range = first.range();
        String log = first.logPath();
        cluster.masters.refuseHandoffs(true);
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.INVALID);
        assertThat(cluster.dfs.isSealed(log)).isTrue();
        assertThat(madeBy("s2")).isEmpty();
        assertThat(second.stores.open).isZero();
        assertGoesOn(range);
    }

    @Test
    void aCommitWhoseAnswerIsLostIsSentAgain() {
        cluster.masters.answersToLose = 2;
        Answer<HandoffOutcome> move = move();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
    }

    @Test
    void aSourceThatNeverHearsOfItsCommitServesUntilItsLogIsSealedAndFindsOutByPublishing() {
        Range range = first.range();
        cluster.masters.answersToLose = 1;
        Answer<HandoffOutcome> move = move();
        cluster.loop.runReady();
        cluster.cutOff.add("s1");
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        cluster.loop.runReady();
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        cluster.loop.advanceMillis(15_000);
        assertThat(code(move)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(second.value(keyOf('a')))
                .as("a master ordered it to be opened, and its owner sealed the log")
                .isEqualTo("new");
        Answer<WriteReply> zombie = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "zombie"));
        Answer<ReadReply> read = Node.read(range, keyOf('a'));
        cluster.loop.runReady();
        assertThat(zombie.get().getStatus().getCode()).isNotEqualTo(ErrorCode.OK);
        assertThat(read.get().getStatus().getCode()).isNotEqualTo(ErrorCode.OK);
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5_000);
        assertThat(first.ranges()).isEmpty();
        assertThat(second.value(keyOf('a'))).isEqualTo("new");
        assertThat(second.metrics.opens.labels("opened").get())
                .as("what was prepared was finished, not opened anew")
                .isZero();
    }

    @Test
    void aCommitThatComesLateAfterTheSourceWentOnIsRefused() {
        Range range = first.range();
        cluster.masters.holdCommands();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        Runnable commit = cluster.masters.giveUpOldest();
        for (int i = 0; i < 20 && !move.isGiven(); i++) {
            cluster.loop.advanceMillis(2_000);
            cluster.masters.giveUpAll();
        }
        assertThat(code(move)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        cluster.masters.releaseCommands();
        cluster.loop.advanceMillis(5_000);
        assertThat(first.write(WriteKind.REPLACE, keyOf('a'), "new").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        commit.run();
        cluster.settle();
        assertThat(first.range()).isSameAs(range);
        assertThat(first.value(keyOf('a'))).isEqualTo("new");
    }

    @Test
    void targetsForgetOnlyWhenTheSourceHasGoneOn() {
        cluster.masters.holdCommands();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        cluster.masters.giveUpOldest();
        for (int i = 0; i < 20 && !move.isGiven(); i++) {
            cluster.loop.advanceMillis(2_000);
            cluster.masters.giveUpAll();
        }
        assertThat(code(move)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(madeBy("s2")).isNotEmpty();
        cluster.masters.releaseCommands();
        cluster.loop.advanceMillis(5_000);
        assertThat(madeBy("s2")).isEmpty();
        assertAllThere();
    }

    @Test
    void aTargetThatRefusesEndsIt() {
        Range range = first.range();
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        cluster.cutOff.add("s2");
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.cutOff.clear();
        cluster.settle();
        Answer<HandoffOutcome> move = cluster.send("s1", order);
        cluster.settle();
        assertThat(code(move)).as("that incarnation is no more").isEqualTo(ErrorCode.NOT_OWNER);
        assertGoesOn(range);
    }

    @Test
    void aTargetThatCannotOpenEndsItAndLeavesNothing() {
        Range range = first.range();
        second.stores.opensFail = true;
        Answer<HandoffOutcome> split = split();
        cluster.settle();
        assertThat(code(split)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(madeBy("s2")).isEmpty();
        assertThat(first.stores.open).as("its own targets are forgotten").isEqualTo(1);
        assertGoesOn(range);
    }

    @Test
    void aTargetThatDoesNotAnswerInTimeEndsIt() {
        Range range = first.range();
        cluster.lostCalls.add("prepare");
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        Answer<HandoffOutcome> move =
                cluster.send("s1", order.toBuilder().setDeadlineMillis(300).build());
        cluster.loop.advanceMillis(250);
        assertThat(move.isGiven()).isFalse();
        assertThat(first.write(WriteKind.REPLACE, keyOf('b'), "b").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertGoesOn(range);
    }

    @Test
    void aTargetWhoseAnswerIsLostForgetsByItself() {
        cluster.lostAnswers.add("prepare");
        cluster.lostCalls.add("forget");
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        cluster.send("s1", order.toBuilder().setDeadlineMillis(300).build());
        cluster.settle();
        assertThat(second.stores.open).isEqualTo(1);
        cluster.loop.advanceMillis(61_000);
        assertThat(second.stores.open).isZero();
        assertThat(madeBy("s2"))
                .as("left to the sweep, for a commit might still come")
                .isNotEmpty();
    }

    @Test
    void aTargetThatDiesBeforeTheCommitEndsIt() {
        Range range = first.range();
        cluster.masters.holdCommands();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.INVALID);
        assertGoesOn(range);
    }

    @Test
    void aTargetThatDiesAfterTheCommitIsTakenOver() {
        cluster.lostCalls.add("finish");
        cluster.cutOff.add("s2");
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(100);
        assertThat(cluster.masters.onlyRow().owner()).isEqualTo(cluster.incarnation("s2"));
        cluster.masters.taker = "s1";
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.loop.advanceMillis(5_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(ownerOf('a')).isSameAs(first);
        assertAllThere();
    }

    @Test
    void aFinishThatIsLostIsMadeUpForByTheMastersOrder() {
        cluster.lostCalls.add("finish");
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(3_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
        assertThat(second.metrics.opens.labels("opened").get()).isZero();
    }

    @Test
    void aFinishWhoseAnswerIsLostIsSentAgain() {
        cluster.lostAnswers.add("finish");
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(3_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
    }

    @Test
    void aSourceThatDiesAfterTheCommitLeavesTheTargets() {
        cluster.lostCalls.add("finish");
        move();
        cluster.loop.runReady();
        first.membership.stop();
        cluster.cutOff.add("s1");
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.loop.advanceMillis(3_000);
        assertAllThere();
        assertThat(second.write(WriteKind.REPLACE, keyOf('a'), "a").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
    }

    @Test
    void aSourceThatDiesBeforeTheCommitIsTakenOverWhereItsTargetIsBeingPrepared() {
        cluster.masters.holdCommands();
        move();
        cluster.loop.advanceMillis(20);
        first.membership.stop();
        cluster.cutOff.add("s1");
        Runnable commit = cluster.masters.giveUpOldest();
        cluster.masters.taker = "s2";
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.masters.releaseCommands();
        cluster.settle();
        commit.run();
        cluster.settle();
        assertAllThere();
        assertThat(second.write(WriteKind.REPLACE, keyOf('a'), "a").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        cluster.loop.advanceMillis(61_000);
        assertThat(second.stores.open).isEqualTo(1);
        assertAllThere();
    }

    @Test
    void aSourceThatIsDeclaredDeadWithoutKnowingTakesEffectUntilItsLogIsSealed() {
        cluster.masters.holdCommands();
        Range range = first.range();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        Answer<WriteReply> before = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "before"));
        cluster.loop.runReady();
        assertThat(before.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        cluster.masters.taker = "s2";
        cluster.cutOff.add("s1");
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.masters.releaseCommands();
        cluster.loop.advanceMillis(1_000);
        assertThat(second.value(keyOf('a'))).isEqualTo("before");
        Answer<WriteReply> zombie = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "zombie"));
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5_000);
        assertThat(code(move)).isIn(ErrorCode.DEAD_INCARNATION, ErrorCode.UNKNOWN_OUTCOME);
        assertThat(zombie.get().getStatus().getCode()).isNotEqualTo(ErrorCode.OK);
        assertThat(second.value(keyOf('a'))).isEqualTo("before");
    }

    @Test
    void aLogThatBreaksWhileTargetsArePreparedEndsItAndIsReplaced() {
        Range range = first.range();
        second.stores.holdOpens();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(10);
        String log = cluster.dfs.newestOpenLog("s1");
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "lost"));
        cluster.loop.runReady();
        cluster.dfs.breakAppends(log, 0);
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        second.stores.releaseOpens();
        cluster.settle();
        assertThat(second.stores.open).isZero();
        assertThat(madeBy("s2")).isEmpty();
        assertGoesOn(range);
    }

    @Test
    void aLogThatBreaksDuringTheDrainIsSealedAndTheHandoffGoesOn() {
        Range range = first.range();
        String log = first.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<WriteReply> inFlight = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "lost"));
        cluster.loop.runReady();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        Answer<WriteReply> waiting = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('b'), "new"));
        cluster.loop.runReady();
        assertThat(waiting.isGiven()).isFalse();
        cluster.dfs.breakAppends(log, 0);
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(inFlight.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(waiting.get().getStatus().getCode())
                .as("it was not executed")
                .isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
    }

    @Test
    void aLogThatBreaksWhileTheCommitIsOnItsWayIsReplacedUnlessTheCommitComesFirst() {
        Range range = first.range();
        String log = first.logPath();
        cluster.masters.holdCommands();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "lost"));
        cluster.loop.runReady();
        cluster.dfs.breakAppends(log, 0);
        cluster.dfs.releaseAppends();
        cluster.loop.advanceMillis(100);
        assertThat(write.get().getStatus().getCode()).isNotEqualTo(ErrorCode.OK);
        cluster.masters.releaseCommands(); // The commit, and behind it the publish of the new log.
        cluster.loop.advanceMillis(3_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(first.ranges()).isEmpty();
        assertAllThere();
    }

    @Test
    void aLogThatItsOwnerCannotSealInTimeIsSealedByTheTarget() {
        cluster.dfs.unavailableSealsOf(first.logPath(), 5);
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(600);
        cluster.loop.advanceMillis(10_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(first.ranges()).isEmpty();
        assertAllThere();
    }

    @Test
    void aRangeIsHeldOnlyWhenTheLogThatItLeftIsSealed() {
        Range range = first.range();
        String log = first.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        first.write(WriteKind.REPLACE, keyOf('a'), "a");
        cluster.loop.advance(Cluster.SETTINGS.checkpointAfterNanos()); // That rolls the log.
        assertThat(first.logPath()).isNotEqualTo(log);
        Answer<HandoffOutcome> move = move();
        cluster.settle();
        assertThat(move.isGiven()).isFalse();
        assertThat(madeBy("s2")).isEmpty();
        assertGoesOn(range);

        cluster.dfs.unavailableSealsOf(log, 0);
        cluster.loop.advanceMillis(5_000);
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
    }

    /** Each write makes a checkpoint due, and each checkpoint a log that is left and takes a while to be sealed. */
    @Test
    void aBusyRangeWhoseLogsAreSealedSlowlyIsHeld() {
        cluster = Cluster.withCheckpointsAt(1);
        first = cluster.start("s1");
        second = cluster.start("s2");
        cluster.dfs.holdSealAnswers();
        first.write(WriteKind.INSERT, keyOf('a'), "0");
        Answer<HandoffOutcome> move = move();
        for (int writes = 0; !move.isGiven() && writes < 200; writes++) {
            Node.send(first.range(), Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
            cluster.loop.advanceMillis(5);
            cluster.dfs.releaseSealAnswers();
            cluster.dfs.holdSealAnswers();
        }
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void withoutAMasterThatAnswersARangeGoesOnAsItWas() {
        Range range = first.range();
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        cluster.cutOff.add("s1");
        Answer<HandoffOutcome> move = cluster.send("s1", order);
        cluster.loop.advanceMillis(5_000);
        assertGoesOn(range);
        cluster.loop.advanceMillis(7_000);
        assertThat(code(move)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertGoesOn(range);
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5_000);
        assertThat(madeBy("s2"))
                .as("a publish has shown that no commit ever comes")
                .isEmpty();
        assertGoesOn(range);
    }

    @Test
    void aHandoffCanBeCancelledUntilItsSwitchBegins() {
        Range range = first.range();
        second.stores.holdOpens();
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        Answer<HandoffOutcome> move = cluster.send("s1", order);
        cluster.loop.advanceMillis(10);
        Answer<HandoffOutcome> joined = cluster.send("s1", order);
        Answer<HandoffOutcome> cancelled = cluster.cancel("s1", order);
        cluster.loop.advanceMillis(10);
        assertThat(code(move)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(cancelled.get()).isEqualTo(move.get());
        assertThat(joined.get()).isEqualTo(move.get());
        second.stores.releaseOpens();
        assertThat(code(cluster.cancel("s1", order))).isEqualTo(ErrorCode.NOT_FOUND);
        assertGoesOn(range);
    }

    @Test
    void anOrderThatComesAgainWhenItHasEndedIsNotCarriedOutAgain() {
        Range range = first.range();
        second.stores.holdOpens();
        HandoffOrder order = cluster.order(List.of(cluster.masters.onlyRow()), List.of(), "s2");
        cluster.send("s1", order);
        cluster.loop.advanceMillis(10);
        cluster.cancel("s1", order);
        second.stores.releaseOpens();
        cluster.settle();
        Answer<HandoffOutcome> again = cluster.send("s1", order);
        cluster.settle();
        assertThat(code(again)).isEqualTo(ErrorCode.STALE_VERSION);
        assertGoesOn(range);
    }

    @Test
    void aRangeIsInOneHandoffAtATime() {
        second.stores.holdOpens();
        Row row = cluster.masters.onlyRow();
        Answer<HandoffOutcome> move = cluster.split("s1", row, List.of(), "s2");
        cluster.loop.advanceMillis(10);
        Answer<HandoffOutcome> other = cluster.split("s1", cluster.masters.onlyRow(), List.of(), "s2");
        cluster.loop.advanceMillis(10);
        assertThat(code(other)).isEqualTo(ErrorCode.BUSY);
        second.stores.releaseOpens();
        cluster.settle();
        assertThat(code(move)).as("the second did not end the first").isEqualTo(ErrorCode.OK);
    }

    @Test
    void aRangeWithMuchToReplayMakesACheckpointFirstAndThenPublishesNothing() {
        for (int i = 0; i < 8; i++) {
            first.write(WriteKind.INSERT, Key.of(7, "much", "row" + i), "1");
        }
        Row row = cluster.masters.onlyRow();
        second.stores.holdOpens();
        Answer<HandoffOutcome> move = cluster.split("s1", row, List.of(), "s2");
        cluster.loop.advanceMillis(10);
        long version = cluster.masters.onlyRow().version();
        assertThat(version).isGreaterThan(row.version());
        for (int i = 0; i < 100; i++) {
            first.write(WriteKind.INSERT, Key.of(7, "more", "row" + i), "1");
        }
        assertThat(cluster.masters.onlyRow().version()).isEqualTo(version);
        second.stores.releaseOpens();
        cluster.settle();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertAllThere();
    }

    @Test
    void dropsInOneSourceHoldInWhatTheyAreMergedTo() {
        cluster.split("s1", cluster.masters.onlyRow(), List.of(AT_H), "s1", "s1");
        cluster.settle();
        Node.drop(first.rangeOf(keyOf('a')), 7);
        cluster.settle();
        cluster.send("s1", cluster.order(cluster.masters.inKeyOrder(), List.of(), "s2"));
        cluster.settle();
        assertThat(second.value(keyOf('a'))).isEqualTo("TABLE_DROPPED");
        assertThat(second.value(keyOf('z'))).isEqualTo("TABLE_DROPPED");
    }

    @Test
    void ordersThatDoNotFitAreRefused() {
        Row row = cluster.masters.onlyRow();
        Row stale = new Row(row.id(), row.range(), row.owner(), row.manifest(), row.version() - 1, row.epoch());
        Row elsewhere = new Row(99 << 12, row.range(), row.owner(), row.manifest(), row.version(), row.epoch());
        assertThat(refusal(List.of(stale), List.of(AT_H), "s1", "s2")).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(refusal(List.of(elsewhere), List.of(AT_H), "s1", "s2")).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(refusal(List.of(row), List.of(AT_P, AT_H), "s1", "s2", "s1")).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(List.of(row), List.of(keyOf('h')), "s1", "s2")).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(List.of(row, row), List.of(), "s1")).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(List.of(row), List.of())).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(List.of(row), List.of(AT_H), "s1"))
                .as("a part is missing")
                .isEqualTo(ErrorCode.INVALID);
        assertGoesOn(first.range());
    }

    private ErrorCode refusal(List<Row> sources, List<Key> at, String... owners) {
        Answer<HandoffOutcome> answer = cluster.send("s1", cluster.order(sources, at, owners));
        cluster.loop.advanceMillis(10);
        return code(answer);
    }
}
