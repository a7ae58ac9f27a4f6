package cleave.master.tables;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeServer;
import cleave.master.settings.MasterTiming;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.Script;
import cleave.model.table.Registry;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableDropsTest {
    private static final Drop ORDERS = new Drop("account", "orders", 3);

    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");

    @BeforeEach
    void aTableOverThreeRanges() {
        FakeServer server = bench.server("s1", master);
        bench.pass(700);
        bench.obey(server);
        bench.log.apply(new AllocateTableIds(9));
        bench.log.apply(Script.split(bench.row(), List.of(2L, 5L), List.of(server.incarnation())));
        bench.log.state().rows().all().forEach(server::serve);
        bench.pass(200);
        bench.ranges.create("account", "orders", 3);
        bench.ranges.calls().clear();
    }

    @Test
    void aDropMarksTheRowThenReachesEveryRangeThenRemovesTheRow() {
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.calls()).containsExactly("read", "merge", "drop 3", "read", "delete");
        assertThat(bench.ranges.table("account", "orders")).isNull();
        assertThat(bench.log.state().drops()).isEmpty();
    }

    @Test
    void aTableInSeveralRangesIsDroppedInAll() {
        split(3, "de", "us");
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.calls())
                .containsExactly("read", "merge", "drop 3", "drop 3/de", "drop 3/us", "read", "delete");
        assertThat(bench.ranges.isDroppedEverywhere(3)).isTrue();
    }

    @Test
    void aRangeThatSplitsDuringTheWalkIsWalkedToItsEnd() {
        boolean[] done = {false};
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().contains("drop 3") && !done[0]) {
                done[0] = true;
                split(3, "de");
            }
        });
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.calls()).contains("drop 3", "drop 3/de");
        assertThat(bench.ranges.isDroppedEverywhere(3)).isTrue();
    }

    @Test
    void whileItIsUnderWayTheTableIsMarkedAsDeleting() {
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().contains("merge")
                    && bench.ranges.calls().get(bench.ranges.calls().size() - 1).startsWith("drop")) {
                Registry registry = bench.ranges.table("account", "orders");
                assertThat(registry).isEqualTo(new Registry(3, "orders", true));
            }
        });
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        assertThat(answer.join().isOk()).isTrue();
    }

    @Test
    void aRowThatHoldsAnotherIdIsLeftAlone() {
        bench.ranges.create("account", "orders", 7);
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.calls()).containsExactly("read", "drop 3", "read");
        assertThat(bench.ranges.table("account", "orders")).isEqualTo(new Registry(7, "orders", false));
    }

    @Test
    void whoHasLeftIsNotKeptUntilTheDropEnds() {
        TableDrops drops = new TableDrops(bench.time, MasterTiming.DEFAULT, master.replica(), bench.ranges);
        bench.ranges.fail(1_000, ErrorCode.UNAVAILABLE, false);
        CompletableFuture<MasterAnswer> stays = new CompletableFuture<>();
        CompletableFuture<MasterAnswer> leaves = new CompletableFuture<>();
        CompletableFuture<MasterAnswer> left = new CompletableFuture<>();
        left.cancel(false);
        List.of(stays, leaves, left).forEach(caller -> bench.time.run(() -> drops.ask(ORDERS, caller)));
        assertThat(drops.waiting()).isEqualTo(2);
        leaves.cancel(false);
        bench.time.runReady();
        assertThat(drops.waiting()).isEqualTo(1);
        bench.time.run(() -> drops.clear("m2"));
        assertThat(stays.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(drops.waiting()).isZero();
    }

    @Test
    void moreCallsThanMayWaitAreBusy() {
        TableDrops drops = new TableDrops(bench.time, MasterTiming.DEFAULT, master.replica(), bench.ranges);
        bench.ranges.fail(1_000_000, ErrorCode.UNAVAILABLE, false);
        List<CompletableFuture<MasterAnswer>> callers = new ArrayList<>();
        bench.time.run(() -> {
            for (int i = 0; i <= TableDrops.WAITING_MAX; i++) {
                callers.add(new CompletableFuture<>());
                drops.ask(ORDERS, callers.get(i));
            }
        });

        assertThat(callers.remove(TableDrops.WAITING_MAX).join().code()).isEqualTo(ErrorCode.BUSY);
        assertThat(callers).noneMatch(CompletableFuture::isDone);
        bench.time.run(() -> drops.clear("m2"));
        assertThat(callers).allMatch(caller -> caller.join().code() == ErrorCode.NOT_LEADER);
    }

    @Test
    void aSecondDeleteJoinsTheFirst() {
        bench.ranges.fail(3, ErrorCode.UNAVAILABLE, false);
        CompletableFuture<MasterAnswer> first = drop(master, ORDERS);
        CompletableFuture<MasterAnswer> second = drop(master, ORDERS);
        assertThat(second).isNotDone();
        bench.time.advanceMillis(1_000);
        assertThat(first.join().isOk()).isTrue();
        assertThat(second.join().isOk()).isTrue();
        assertThat(bench.ranges.calls().stream().filter("merge"::equals)).hasSize(1);
    }

    @Test
    void aDropOfAnIdThatWasNeverGivenOutIsRefused() {
        CompletableFuture<MasterAnswer> answer = drop(master, new Drop("account", "orders", 99));
        assertThat(answer.join().code()).isEqualTo(ErrorCode.INVALID);
        assertThat(bench.ranges.calls()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"BUSY", "UNAVAILABLE", "UNKNOWN_OUTCOME", "CONDITION_FAILED"})
    void whateverFailsIsTriedAgain(ErrorCode code) {
        bench.ranges.fail(12, code, false);
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(60_000);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.table("account", "orders")).isNull();
    }

    @Test
    void whatHappenedWithoutAnAnswerIsNotDoneTwiceToTheRow() {
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().size() % 2 == 1) {
                bench.ranges.fail(1, ErrorCode.UNKNOWN_OUTCOME, true);
            }
        });
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(60_000);
        assertThat(answer.join().isOk()).isTrue();
        assertThat(bench.ranges.table("account", "orders")).isNull();
        assertThat(bench.ranges.isDroppedEverywhere(3)).isTrue();
    }

    @Test
    void anUnreadableRegistryEntryHoldsTheDropUpAndNothingElse() {
        bench.ranges.damage("account", "orders");
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(5_000);
        assertThat(answer).isNotDone();
        bench.ranges.create("account", "orders", 3);
        bench.time.advanceMillis(5_000);
        assertThat(answer.join().isOk()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aNewLeaderDrivesTheDropToItsEndWhereverTheOldOneFell(int call) {
        split(3, "de", "us");
        Master next = bench.master("m2");
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().size() == call) {
                next.replica().lead();
            }
        });
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(100);
        CompletableFuture<MasterAnswer> joined = drop(next, ORDERS);
        bench.time.advanceMillis(10_000);
        if (call <= 7) {
            assertThat(answer.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
        } else {
            assertThat(answer.join().isOk()).isTrue();
        }
        assertThat(call > 7 || joined.join().isOk()).isTrue();
        assertThat(bench.log.state().drops()).isEmpty();
        assertThat(bench.ranges.table("account", "orders")).isNull();
        assertThat(bench.ranges.isDroppedEverywhere(3)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void aLeaderThatIsCutOffOnTheWayHurtsNothing(int call) {
        split(3, "de", "us");
        Master next = bench.master("m2");
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().size() == call) {
                master.replica().cutOff();
                next.replica().lead();
            }
        });
        drop(master, ORDERS);
        bench.time.advanceMillis(5_000);
        bench.ranges.create("account", "orders", 8);
        master.replica().heal();
        bench.time.advanceMillis(5_000);
        assertThat(bench.log.state().drops()).isEmpty();
        assertThat(bench.ranges.isDroppedEverywhere(3)).isTrue();
        assertThat(bench.ranges.table("account", "orders")).isEqualTo(new Registry(8, "orders", false));
    }

    @Test
    void aLeaderFindsPendingDropsInTheState() {
        bench.log.apply(new DropTable(ORDERS));
        bench.time.advanceMillis(200);
        assertThat(bench.log.state().drops()).isEmpty();
        assertThat(bench.ranges.table("account", "orders")).isNull();
    }

    @Test
    void aDropWhoseEndIsNotAnsweredEndsAllTheSame() {
        bench.ranges.beforeCall(() -> {
            if (bench.ranges.calls().contains("delete")) {
                master.replica().loseAnswers(true);
            }
        });
        CompletableFuture<MasterAnswer> answer = drop(master, ORDERS);
        bench.time.advanceMillis(500);
        assertThat(answer.join().isOk()).isTrue();
        master.replica().loseAnswers(false);
        bench.time.advanceMillis(5_000);
        assertThat(bench.log.state().drops()).isEmpty();
    }

    @Test
    void aFollowerNamesTheLeader() {
        Master follower = bench.master("m2");
        assertThat(drop(follower, ORDERS).join().code()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(drop(follower, ORDERS).join().message()).isEqualTo("m1");
    }

    private CompletableFuture<MasterAnswer> drop(Master asked, Drop drop) {
        CompletableFuture<MasterAnswer> answer = asked.loop().dropTable(drop);
        bench.time.runReady();
        return answer;
    }

    private void split(long table, String... partitions) {
        bench.splitAt(table, partitions);
    }
}
