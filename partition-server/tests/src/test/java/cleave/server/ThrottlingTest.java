package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Throttle;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterCodec;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A range whose partitions may be asked for ten entities a second. */
class ThrottlingTest {
    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withThrottle(new Throttle(10));
        server = cluster.start("s1");
    }

    private ErrorCode write(WriteOperation... operations) {
        Answer<WriteReply> answer = Node.send(server.range(), operations);
        cluster.loop.runReady();
        return answer.get().getStatus().getCode();
    }

    private ErrorCode write(String partition, int entities) {
        WriteOperation[] operations = new WriteOperation[entities];
        for (int i = 0; i < entities; i++) {
            operations[i] = Node.op(WriteKind.INSERT_OR_REPLACE, Key.of(7, partition, "r" + i), "1");
        }
        return write(operations);
    }

    private ErrorCode read(String partition) {
        Answer<ReadReply> answer = Node.read(server.range(), Key.of(7, partition, "r0"));
        cluster.loop.runReady();
        return answer.get().getStatus().getCode();
    }

    private ErrorCode scan(Key start, Key end) {
        Answer<ScanReply> answer = Node.scan(
                server.range(),
                ScanRequest.newBuilder().setStart(start.toWire()).setEnd(end.toWire()));
        cluster.loop.runReady();
        return answer.get().getStatus().getCode();
    }

    private ErrorCode scan(String partition) {
        return scan(Key.beforePartition(7, partition), Key.afterPartition(7, partition));
    }

    @Test
    void aTransactionCostsAllItsEntities() {
        assertThat(write("p", 10)).isEqualTo(ErrorCode.OK);
        assertThat(write("p", 1)).isEqualTo(ErrorCode.THROTTLED);
        assertThat(read("p")).isEqualTo(ErrorCode.THROTTLED);
        assertThat(scan("p")).isEqualTo(ErrorCode.THROTTLED);
        assertThat(write("q", 1)).as("another partition").isEqualTo(ErrorCode.OK);
        assertThat(server.metrics.refused.labels("THROTTLED").get()).isEqualTo(3);
        cluster.loop.advanceMillis(1);
        assertThat(read("p")).isEqualTo(ErrorCode.OK);
        assertThat(read("p")).isEqualTo(ErrorCode.THROTTLED);
    }

    @Test
    void whatIsThrottledIsNotExecuted() {
        write("p", 10);
        assertThat(write(Node.op(WriteKind.INSERT, Key.of(7, "p", "late"), "1")))
                .isEqualTo(ErrorCode.THROTTLED);
        cluster.settle();
        assertThat(server.value(Key.of(7, "p", "late"))).isNull();
    }

    @Test
    void aScanPaysForWhatItExamined() {
        write("p", 8);
        cluster.settle();
        assertThat(scan("p")).isEqualTo(ErrorCode.OK);
        assertThat(scan("p")).as("two are left, so it may enter").isEqualTo(ErrorCode.OK);
        assertThat(scan("p")).isEqualTo(ErrorCode.THROTTLED);
        assertThat(scan(Key.beforeTable(7), Key.beforeTable(8)))
                .as("of all partitions")
                .isEqualTo(ErrorCode.OK);
    }

    @Test
    void aScanPaysForWhatItsFilterPassesOver() {
        write("p", 8);
        cluster.settle();
        for (int i = 0; i < 2; i++) {
            Answer<ScanReply> answer = Node.scan(
                    server.range(),
                    ScanRequest.newBuilder()
                            .setStart(Key.beforePartition(7, "p").toWire())
                            .setEnd(Key.afterPartition(7, "p").toWire())
                            .setFilter(FilterCodec.toWire(new Filter.Flag("Nothing")))
                            .setLimit(1));
            cluster.loop.runReady();
            assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
            assertThat(answer.get().getRowsCount()).isZero();
        }
        assertThat(scan("p")).isEqualTo(ErrorCode.THROTTLED);
    }

    @Test
    void whatRefusesAWriteCostsAsMuch() {
        write("p", 1);
        for (int i = 0; i < 9; i++) {
            assertThat(write(Node.op(WriteKind.INSERT, Key.of(7, "p", "r0"), "1")))
                    .isEqualTo(ErrorCode.ALREADY_EXISTS);
        }
        assertThat(write(Node.op(WriteKind.INSERT, Key.of(7, "p", "r0"), "1"))).isEqualTo(ErrorCode.THROTTLED);
    }
}
