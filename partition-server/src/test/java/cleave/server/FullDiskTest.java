package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOutcome;
import cleave.wire.RangeTrouble;
import cleave.wire.WriteKind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server whose stores find no space on their disk. */
class FullDiskTest {
    private Cluster cluster;
    private Node first;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1000);
        first = cluster.start("s1");
        for (int i = 0; i < 30; i++) {
            first.put("row" + i, "v" + i);
        }
        cluster.settle();
    }

    private Row row() {
        return cluster.masters.onlyRow();
    }

    @Test
    void aRangeWhoseStoreFailsUnderAWriteIsNotServedAndItsOwnerSaysSo() {
        first.stores.fails = true;
        Row row = row();
        assertThat(first.write(WriteKind.INSERT, Node.key("row30"), "v30")
                        .getStatus()
                        .getCode())
                .as("nothing was done")
                .isNotEqualTo(ErrorCode.OK);
        cluster.loop.advanceMillis(250);
        assertThat(first.ranges()).isEmpty();
        RangeTrouble report = cluster.masters.failureReports.get(0);
        assertThat(report.getStore()).isTrue();
        assertThat(report.getVersion()).isEqualTo(row.version());
        assertThat(report.getReason()).contains("the medium fails");
        assertThat(first.metrics.storeFailures.get()).isEqualTo(1);
    }

    @Test
    void aRangeWhoseStoreCannotBeOpenedIsReportedEachTime() {
        first.stores.opensFail = true;
        first.range().close("a test says so");
        cluster.loop.advanceMillis(5_000);
        assertThat(first.ranges()).isEmpty();
        assertThat(cluster.masters.failureReports)
                .hasSizeGreaterThan(1)
                .allMatch(report -> report.getStore()
                        && report.getVersion() == row().version()
                        && report.getReason().contains("no space left"));
        first.stores.opensFail = false;
        cluster.loop.advanceMillis(40_000);
        assertThat(first.value("row29")).isEqualTo("v29");
    }

    @Test
    void anotherServerThatIsGivenTheRowFindsAllThatWasAcknowledged() {
        Node second = cluster.start("s2");
        first.stores.checkpointsFail = true;
        for (int i = 30; i < 100; i++) {
            assertThat(first.put("row" + i, "v" + i)).isEqualTo(ErrorCode.OK);
        }
        first.stores.fails = true;
        first.put("row100", "v100");
        cluster.loop.advanceMillis(250);
        cluster.masters.give(cluster.incarnation("s2")); // As masters do with a range whose store fails.
        cluster.settle();
        for (int i = 0; i < 100; i++) {
            assertThat(second.value("row" + i)).isEqualTo("v" + i);
        }
        assertThat(second.put("row100", "v100")).isEqualTo(ErrorCode.OK);
        assertThat(first.ranges()).isEmpty();
    }

    @Test
    void aMoveDoesWithoutACheckpointThatCannotBeMade() {
        Node second = cluster.start("s2");
        first.stores.checkpointsFail = true;
        for (int i = 30; i < 100; i++) {
            first.put("row" + i, "v" + i);
        }
        Answer<HandoffOutcome> move = cluster.split("s1", row(), List.of(), "s2");
        cluster.settle();
        assertThat(move.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        for (int i = 0; i < 100; i++) {
            assertThat(second.value("row" + i)).isEqualTo("v" + i);
        }
    }

    @Test
    void aTargetWithLittleSpaceLeftPreparesNothingAndItsServerIsNotReady() {
        Node second = cluster.start("s2");
        second.stores.freeBytes = 5 << 20;
        Answer<HandoffOutcome> move = cluster.split("s1", row(), List.of(), "s2");
        cluster.settle();
        assertThat(move.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        assertThat(move.get().getStatus().getMessage()).contains("5 MiB free").contains("server.space-reserve");
        assertThat(first.value("row1")).isEqualTo("v1");
        assertThat(second.membership.readiness().missing()).contains("5 MiB free");
        assertThat(second.metrics.storeFreeBytes.get()).isEqualTo(5 << 20);
        second.stores.freeBytes = 50 << 20;
        assertThat(second.membership.readiness().ready()).isTrue();
    }
}
