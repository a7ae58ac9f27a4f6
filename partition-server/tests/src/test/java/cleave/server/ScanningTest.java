package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Literal;
import cleave.server.outside.StoreException;
import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scans: what they return, up to where they have looked, and that they are confirmed. */
class ScanningTest {
    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = new Cluster();
        server = cluster.start("s1");
        for (int i = 0; i < 50; i++) {
            server.put("row%02d".formatted(i), i % 2 == 0 ? "even" : "odd");
        }
    }

    private static ScanRequest.Builder wholeTable() {
        return ScanRequest.newBuilder()
                .setStart(Key.beforeTable(7).toWire())
                .setEnd(Key.beforeTable(8).toWire());
    }

    private ScanReply scan(Range range, ScanRequest.Builder request) {
        Answer<ScanReply> answer = Node.scan(range, request);
        cluster.loop.runReady();
        return answer.get();
    }

    private static List<String> rowKeys(ScanReply reply) {
        return reply.getRowsList().stream()
                .map(row -> Key.fromWire(row.getKey()).rowKey())
                .toList();
    }

    @Test
    void aScanReturnsAllToItsEnd() {
        ScanReply reply = scan(server.range(), wholeTable());
        assertThat(reply.getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
        assertThat(reply.getExaminedUntil()).isEqualTo(Key.beforeTable(8).toWire());
        assertThat(rowKeys(reply)).hasSize(50).isSorted();
        assertThat(reply.getExamined()).isEqualTo(50);
    }

    @Test
    void aScanToTheEndOfTheKeySpaceSaysSo() {
        ScanReply reply = scan(server.range(), ScanRequest.newBuilder());
        assertThat(reply.getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
        assertThat(reply.getExaminedUntil()).isEqualTo(ByteString.EMPTY);
    }

    @Test
    void aScanThatMakesWayGoesOnInItsSnapshot() {
        server.scansMakeWay = true;
        Answer<ScanReply> answer = Node.scan(server.range(), wholeTable());
        cluster.loop.runReady();
        assertThat(rowKeys(answer.get())).hasSize(50).doesNotHaveDuplicates().isSorted();
        assertThat(answer.get().getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
        assertThat(answer.get().getExamined()).isEqualTo(50);
        assertThat(server.metrics.bytesHeld.get()).isZero();
    }

    @Test
    void pagesByTheLimitAddUpToEverythingExactlyOnce() {
        List<String> seen = new ArrayList<>();
        ByteString from = Key.beforeTable(7).toWire();
        ScanReply reply;
        do {
            reply = scan(server.range(), wholeTable().setStart(from).setLimit(7));
            seen.addAll(rowKeys(reply));
            from = reply.getExaminedUntil();
        } while (reply.getEnded() == ScanEnd.STOPPED);
        assertThat(seen).hasSize(50).doesNotHaveDuplicates().isSorted();
    }

    private static Key key(int row) {
        return Node.key("row%02d".formatted(row));
    }

    @Test
    void aScanAnswersWhatLiesBeforeDamageAndTheNextOneIsDamaged() {
        server.stores.damagedKeys.add(key(20));

        ScanReply before = scan(server.range(), wholeTable());
        assertThat(before.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(before.getEnded()).isEqualTo(ScanEnd.STOPPED);
        assertThat(rowKeys(before)).hasSize(20).endsWith("row19");
        assertThat(before.getExaminedUntil()).isEqualTo(key(19).next().toWire());
        assertThat(server.metrics.unreadable.get()).isZero();

        ScanReply there = scan(server.range(), wholeTable().setStart(before.getExaminedUntil()));
        assertThat(there.getStatus().getCode()).isEqualTo(ErrorCode.DAMAGED);
        assertThat(server.metrics.unreadable.get()).isEqualTo(1);
        assertThat(server.metrics.bytesHeld.get()).isZero();
        assertThat(scan(server.range(), wholeTable().setStart(key(21).toWire())).getRowsCount())
                .as("behind it, and the range stayed open")
                .isEqualTo(29);
    }

    @Test
    void aScanThatFailsAfterItMadeWayGivesItsMemoryBack() {
        server.stores.damagedKeys.add(key(20));
        server.stores.damageIs = StoreException.Kind.LOCAL_DAMAGE;
        server.scansMakeWay = true;

        ScanReply reply = scan(server.range(), wholeTable());

        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(server.metrics.bytesHeld.get()).isZero();
    }

    @Test
    void aSalvagePassesOverDamageAndSaysWhereThatWas() {
        server.stores.damagedKeys.addAll(List.of(key(0), key(20), key(21), key(49)));
        server.scansMakeWay = true;

        Answer<ScanReply> answer = Node.scan(server.range(), wholeTable().setSalvage(true));
        cluster.loop.runReady();

        ScanReply reply = answer.get();
        assertThat(reply.getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
        assertThat(rowKeys(reply)).hasSize(46).isSorted().doesNotContain("row00", "row20", "row21", "row49");
        assertThat(reply.getExamined()).isEqualTo(46);
        assertThat(reply.getUnreadableList())
                .extracting(each -> Key.fromWire(each.getStart()))
                .containsExactly(key(0), key(20), key(21), key(49));
        assertThat(reply.getUnreadableList())
                .allMatch(each -> Key.fromWire(each.getStart()).next().equals(Key.fromWire(each.getEnd())));
        assertThat(server.metrics.unreadable.get()).isZero();
    }

    @Test
    void filterAndProjectionAreAppliedHere() {
        cleave.model.entity.Filter odd = new cleave.model.entity.Filter.Compare(
                "V", cleave.model.entity.Filter.Operator.EQ, new Literal(EdmType.STRING, "odd"));
        ScanReply reply = scan(
                server.range(),
                wholeTable()
                        .setFilter(cleave.model.entity.FilterCodec.toWire(odd))
                        .addSelect("Other")
                        .setLimit(10));
        assertThat(reply.getRowsCount()).isEqualTo(10);
        assertThat(reply.getExamined()).isEqualTo(20);
        for (ScanRow row : reply.getRowsList()) {
            assertThat(EntityCodec.propertyCount(row.getEntity().toByteArray())).isZero();
            assertThat(EntityCodec.timestamp(row.getEntity().toByteArray())).isPositive();
        }
    }

    @Test
    void aRangeThatEndsBeforeTheScanSaysWhereToGoOn() {
        Key at = Key.beforePartition(7, "q");
        cluster.split("s1", cluster.masters.onlyRow(), List.of(at), "s1", "s1");
        cluster.settle();
        ScanReply reply = scan(server.rangeOf(Node.key("a")), wholeTable());
        assertThat(reply.getEnded()).isEqualTo(ScanEnd.END_OF_RANGE);
        assertThat(reply.getExaminedUntil()).isEqualTo(at.toWire());
        assertThat(reply.getRowsCount()).isEqualTo(50);
    }

    @Test
    void aScanIsConfirmedByABarrierSentAfterItsSnapshot() {
        int before = cluster.dfs.barriers;
        cluster.dfs.barrierAnswers.hold();
        Answer<ScanReply> answer = Node.scan(server.range(), wholeTable());
        cluster.loop.runReady();
        assertThat(answer.isGiven()).isFalse();
        assertThat(cluster.dfs.barriers - before).isEqualTo(1);
        cluster.dfs.barrierAnswers.release();
        cluster.loop.runReady();
        assertThat(answer.get().getRowsCount()).isEqualTo(50);
    }

    @Test
    void aScanOfAnOldOwnerIsNotAnswered() {
        cluster.dfs.seal(server.logPath());
        assertThat(scan(server.range(), wholeTable()).getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aScanWithoutAnIntervalOrWithABadFilterIsInvalid() {
        assertThat(scan(server.range(), wholeTable().setEnd(Key.beforeTable(7).toWire()))
                        .getStatus()
                        .getCode())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(scan(server.range(), wholeTable().setFilter(cleave.wire.Filter.newBuilder()))
                        .getStatus()
                        .getCode())
                .isEqualTo(ErrorCode.INVALID);
    }
}
