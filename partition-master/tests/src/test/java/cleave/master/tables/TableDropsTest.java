package cleave.master.tables;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench;
import cleave.master.core.Bench.Master;
import cleave.master.core.FakeServer;
import cleave.master.settings.MasterTiming;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.Script;
import cleave.model.Key;
import cleave.model.table.Registry;
import cleave.wire.ErrorCode;
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
        bench.log.apply(Script.split(
                bench.row(), List.of(Key.beforeTable(2), Key.beforeTable(5)), List.of(server.incarnation())));
        bench.log.state().rows().all().forEach(server::serve);
        bench.pass(200);
        bench.ranges.create("account", "orders", 3);
        bench.ranges.calls().clear();
    }

    @Test
    void whoHasLeftIsNotKeptUntilTheDropEnds() {
        TableDrops drops =
                new TableDrops(bench.time, MasterTiming.DEFAULT, master.replica(), bench.ranges, table -> {});
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aNewLeaderDrivesTheDropToItsEndWhereverTheOldOneFell(int call) {
        bench.splitAt(3, "de", "us");
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
        bench.splitAt(3, "de", "us");
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

    private CompletableFuture<MasterAnswer> drop(Master asked, Drop drop) {
        CompletableFuture<MasterAnswer> answer = asked.loop().dropTable(drop);
        bench.time.runReady();
        return answer;
    }
}
