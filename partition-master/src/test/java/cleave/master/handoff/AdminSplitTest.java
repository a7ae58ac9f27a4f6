package cleave.master.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeServer;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminSplitTest {
    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");

    @BeforeEach
    void threeServersAndATable() {
        FakeServer first = bench.server("s1", master);
        bench.pass(700);
        bench.obey(first);
        bench.server("s2", master);
        bench.server("s3", master);
        bench.pass(300);
        bench.ranges.create("account", "Orders", 3);
        bench.ranges.calls().clear();
        bench.beDiligent();
    }

    @Test
    void rawKeysBecomeBoundsSpreadOverTheServers() {
        MasterAnswer answer = split(raw(Key.beforeTable(2), Key.beforeTable(4)));
        assertThat(answer.isOk()).isTrue();
        assertThat(bench.log.state().rows().all())
                .extracting(row -> row.range().start())
                .containsExactly(Key.MIN, Key.beforeTable(2), Key.beforeTable(4));
        assertThat(bench.log.state().rows().all()).extracting(Row::owner).doesNotHaveDuplicates();
        assertThat(bench.ranges.calls()).containsExactly("handoff address-of-s1");
    }

    @Test
    void partitionKeysAreLookedUpInTheRegistry() {
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount("account")
                .setTable("orders")
                .addPartitionKeys("us")
                .addPartitionKeys("de")
                .build();
        assertThat(split(request).isOk()).isTrue();
        assertThat(bench.log.state().rows().all())
                .extracting(row -> row.range().start())
                .containsExactly(Key.MIN, Key.beforePartition(3, "de"), Key.beforePartition(3, "us"));
    }

    @Test
    void keysThatAreBoundsAlreadyAreFine() {
        assertThat(split(raw(Key.beforeTable(2))).isOk()).isTrue();
        bench.ranges.calls().clear();
        assertThat(split(raw(Key.beforeTable(2), Key.beforeTable(2))).isOk()).isTrue();
        assertThat(bench.ranges.calls()).isEmpty();
    }

    @Test
    void keysOfSeveralRangesAreSplitByTheirOwners() {
        assertThat(split(raw(Key.beforeTable(10))).isOk()).isTrue();
        bench.ranges.calls().clear();
        assertThat(split(raw(Key.beforeTable(5), Key.beforeTable(15))).isOk()).isTrue();
        assertThat(bench.ranges.calls()).hasSize(2);
        assertThat(bench.log.state().rows().all()).hasSize(4);
    }

    @Test
    void anOwnerThatIsBusyIsAskedAgain() {
        bench.ranges.fail(3, ErrorCode.BUSY, false);
        assertThat(split(raw(Key.beforeTable(2))).isOk()).isTrue();
        assertThat(bench.ranges.calls()).hasSize(4);
    }

    @Test
    void aSplitWhoseAnswerWasLostIsSettledByTheMap() {
        bench.ranges.fail(1, ErrorCode.UNKNOWN_OUTCOME, true);
        assertThat(split(raw(Key.beforeTable(2))).isOk()).isTrue();
        assertThat(bench.ranges.calls()).hasSize(1);
    }

    @Test
    void whatCannotBeDoneInTimeSaysWhy() {
        bench.ranges.fail(1_000, ErrorCode.UNAVAILABLE, false);
        MasterAnswer answer = split(raw(Key.beforeTable(2)));
        assertThat(answer.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(answer.message()).contains("first is 2").contains("as the test wants");
    }

    @Test
    void moreRequestsThanMayBePendingAreBusy() {
        bench.ranges.fail(1_000_000, ErrorCode.UNAVAILABLE, false);
        List<CompletableFuture<MasterAnswer>> pending = new ArrayList<>();
        for (int i = 0; i < PendingGoals.PENDING_MAX; i++) {
            pending.add(master.loop().operator().split(raw(Key.beforeTable(2 + i))));
        }
        bench.time.runReady();

        CompletableFuture<MasterAnswer> oneMore = master.loop().operator().split(raw(Key.beforeTable(2)));
        bench.time.runReady();
        assertThat(oneMore.join().code()).isEqualTo(ErrorCode.BUSY);
        assertThat(pending).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aRangeWithoutLivingOwnerSaysSo() {
        bench.log.state().servers().values().stream()
                .map(server -> server.incarnation())
                .toList()
                .forEach(incarnation -> bench.log.apply(new DeclareDead(List.of(incarnation))));
        bench.servers().forEach(bench::silence);
        bench.log.apply(new cleave.master.state.MasterCommand.Register("s9", "address-of-s9"));
        MasterAnswer answer = split(raw(Key.beforeTable(2)));
        assertThat(answer.message()).contains("no live owner");
    }

    @Test
    void aKeyInsideAPartitionIsRefused() {
        MasterAnswer answer = split(raw(Key.of(3, "de", "1")));
        assertThat(answer.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(answer.message()).contains("between partitions");
        assertThat(split(raw(Key.MIN)).code()).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void aTableThatIsNotThereIsNotFound() {
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount("account")
                .setTable("nothing")
                .addPartitionKeys("de")
                .build();
        MasterAnswer answer = split(request);
        assertThat(answer.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(answer.message()).contains("nothing").contains("account");
    }

    @Test
    void aRequestThatSaysNothingOrTwoThingsIsRefused() {
        assertThat(split(AdminSplitRequest.getDefaultInstance()).code()).isEqualTo(ErrorCode.INVALID);
        AdminSplitRequest both = AdminSplitRequest.newBuilder()
                .addKeys(Key.beforeTable(2).toWire())
                .setAccount("account")
                .setTable("orders")
                .addPartitionKeys("de")
                .build();
        assertThat(split(both).code()).isEqualTo(ErrorCode.INVALID);
        AdminSplitRequest noKeys = AdminSplitRequest.newBuilder()
                .setAccount("account")
                .setTable("orders")
                .build();
        assertThat(split(noKeys).code()).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void aFollowerNamesTheLeader() {
        Master follower = bench.master("m2");
        var answer = follower.loop().operator().split(raw(Key.beforeTable(2)));
        bench.time.runReady();
        assertThat(answer.join().code()).isEqualTo(ErrorCode.NOT_LEADER);
    }

    private static AdminSplitRequest raw(Key... keys) {
        AdminSplitRequest.Builder request = AdminSplitRequest.newBuilder();
        for (Key key : keys) {
            request.addKeys(ByteString.copyFrom(key.bytes()));
        }
        return request.build();
    }

    private MasterAnswer split(AdminSplitRequest request) {
        var answer = master.loop().operator().split(request);
        for (int i = 0; i < 400 && !answer.isDone(); i++) {
            bench.pass(200);
        }
        return answer.join();
    }
}
