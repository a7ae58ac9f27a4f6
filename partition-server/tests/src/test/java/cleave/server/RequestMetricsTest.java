package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.wire.ErrorCode;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteKind;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The metrics of requests, by kind and by the stages that they wait for. */
class RequestMetricsTest {
    private final Cluster cluster = new Cluster();
    private Node server;

    @BeforeEach
    void serve() {
        server = cluster.start("s1");
    }

    private double value(String name, String... kind) {
        String[] names = kind.length == 0 ? kind : new String[] {"kind"};
        return Objects.requireNonNull(server.registry.getSampleValue(name, names, kind), name);
    }

    private void assertCounts(String name, double writes, double reads, double scans) {
        assertThat(value(name, "write")).as("writes").isEqualTo(writes);
        assertThat(value(name, "read")).as("reads").isEqualTo(reads);
        assertThat(value(name, "scan")).as("scans").isEqualTo(scans);
    }

    private void scan() {
        Answer<ScanReply> answer = Node.scan(
                server.range(),
                ScanRequest.newBuilder()
                        .setStart(Key.beforeTable(7).toWire())
                        .setEnd(Key.beforeTable(8).toWire()));
        cluster.loop.runReady();
        assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void eachRequestIsCountedOnceWithItsKindAndItsWait() {
        server.write(WriteKind.INSERT, Node.key("a"), "1");
        server.write(WriteKind.INSERT, Node.key("a"), "2");
        server.value("a");
        scan();

        assertCounts("cleave_server_request_seconds_count", 2, 1, 1);
        assertCounts("cleave_server_queue_wait_seconds_count", 2, 1, 1);
        assertThat(value("cleave_server_request_seconds_count", "drop")).isZero();
    }

    @Test
    void recordsAreTimedToTheirDurability() {
        double before = value("cleave_server_log_append_seconds_count");
        server.write(WriteKind.INSERT, Node.key("a"), "1");

        assertThat(value("cleave_server_log_append_seconds_count")).isEqualTo(before + 1);
    }

    @Test
    void readsAreTimedToTheirConfirmation() {
        double before = value("cleave_server_confirm_seconds_count");
        server.value("a");

        assertThat(value("cleave_server_confirm_seconds_count")).isEqualTo(before + 1);
    }

    @Test
    void refusalsAreThereBeforeTheFirst() {
        for (ErrorCode code : ErrorCode.values()) {
            if (code != ErrorCode.OK && code != ErrorCode.UNRECOGNIZED) {
                assertThat(server.registry.getSampleValue(
                                "cleave_server_refused_total", new String[] {"code"}, new String[] {code.name()}))
                        .as(code.name())
                        .isZero();
            }
        }
    }
}
