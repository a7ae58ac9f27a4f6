package cleave.master.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench.Master;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.model.DfsIdentity;
import cleave.model.Key;
import cleave.model.MapChange;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.StatusRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MasterLoopTest {
    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");

    @Test
    void theStatusOfManyRangesComesInPiecesOfOneVersion() {
        MasterState large = LargeMap.state(10_000);
        bench.log.restore(large);
        Bench.StatusReader slow = new Bench.StatusReader();
        slow.takes = 2;
        StatusFeed feed = master.loop().status(StatusRequest.getDefaultInstance(), slow);
        bench.time.runReady();
        assertThat(slow.pieces).hasSize(2);
        bench.log.apply(new Register("another", "a:1"));
        slow.takes = Integer.MAX_VALUE;
        feed.ready();
        bench.time.runReady();
        assertThat(slow.ended).isTrue();
        assertThat(slow.pieces)
                .hasSizeGreaterThan(3)
                .allMatch(piece -> piece.getSerializedSize() < 2 * MapChange.PIECE_BYTES)
                .allMatch(piece -> piece.getMap().getVersion() == large.mapVersion());
        assertThat(slow.whole().getStatesCount()).isEqualTo(10_000);
        assertThat(slow.whole().getMap().getRowsCount()).isEqualTo(10_000);
    }

    @Test
    void aStatusWhoseMasterLeadsNoMoreIsNotEndedAsIfItWereWhole() {
        bench.log.restore(LargeMap.state(10_000));
        Bench.StatusReader slow = new Bench.StatusReader();
        slow.takes = 2;
        StatusFeed feed = master.loop().status(StatusRequest.getDefaultInstance(), slow);
        bench.time.runReady();
        master.replica().stepDown();
        slow.takes = Integer.MAX_VALUE;
        feed.ready();
        bench.time.runReady();
        assertThat(slow.ended).isFalse();
        assertThat(slow.failure).contains("no longer leads");
    }

    @Test
    void theStatusOfOneServerHoldsItsRangesOnly() {
        bench.log.restore(LargeMap.state(10_000));
        Bench.StatusReader asking = new Bench.StatusReader();
        StatusRequest request =
                StatusRequest.newBuilder().setServer("server-17").build();
        master.loop().status(request, asking);
        bench.time.runReady();
        assertThat(asking.whole().getMap().getRowsList())
                .hasSize(10)
                .allMatch(row -> row.getOwner().getServer().equals("server-17"));
    }

    @Test
    void twoMastersOnTheWrongDfsDoNotHandOverToEachOtherAlone() {
        bench.pass(2_000);
        List<Master> all = List.of(master, bench.master("m2"), bench.master("m3"));
        bench.files.dfs =
                DfsIdentity.of("99999999-2222-3333-4444-555555555555"); // Of all, so that each of them hands over.
        master.replica().stepDown();
        bench.pass(200);
        master.replica().lead();
        Set<Master> led = new HashSet<>();
        for (int second = 0; second < 40; second++) {
            bench.pass(1_000);
            all.stream().filter(each -> each.replica().leaderTerm() != 0).forEach(led::add);
        }
        assertThat(led).hasSize(3);
    }

    @Test
    void moreRequestsOfOperatorsThanMayBePendingAreBusy() {
        bench.server("s1", master);
        bench.ranges.fail(1_000_000, ErrorCode.UNAVAILABLE, false);
        List<CompletableFuture<MasterAnswer>> pending = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            pending.add(split(2 + i));
        }
        assertThat(split(2).join().code()).isEqualTo(ErrorCode.BUSY);
        assertThat(pending).noneMatch(CompletableFuture::isDone);
    }

    private CompletableFuture<MasterAnswer> split(long table) {
        CompletableFuture<MasterAnswer> answer = master.loop()
                .operator()
                .split(AdminSplitRequest.newBuilder()
                        .addKeys(Key.beforeTable(table).toWire())
                        .build());
        bench.time.runReady();
        return answer;
    }
}
