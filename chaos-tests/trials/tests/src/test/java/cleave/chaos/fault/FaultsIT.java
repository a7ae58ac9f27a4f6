package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Outcome;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.system.Folders;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.model.Key;
import cleave.runtime.files.FolderTree;
import cleave.runtime.rpc.Channels;
import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes are killed, paused and cut off. */
class FaultsIT extends FaultScenes {
    private static final int CHECKPOINTS = 1;

    private static final List<ErrorCode> NOT_EXECUTED =
            List.of(ErrorCode.NOT_OWNER, ErrorCode.BUSY, ErrorCode.UNAVAILABLE, ErrorCode.UNKNOWN_OUTCOME);
    private static final Duration REQUEST = Duration.ofSeconds(60);

    @Override
    FaultCluster started() {
        FaultCluster started = FaultCluster.started(FaultCluster.plan(Folders.fresh("faults")));
        warmUp(started, CHECKPOINTS);
        assertThat(started.cluster().admin().ranges()).hasSizeGreaterThanOrEqualTo(FaultCluster.PARTITIONS);
        return started;
    }

    @Test
    void aKilledServersRangesAreServedByOthers() {
        run.killServer();
    }

    @Test
    @Tag("nightly")
    void aRestartInOrderFailsNoClientThatRetriesAsSdksDo() {
        run.injectExcused("processes restarted", Drill.ALL, () -> {
            try (Roll roll = new Roll(faults, false, 2, Duration.ofMillis(20), line -> {})) {
                roll.restart("server", cluster.servers().subList(0, 1));
                roll.restart("front end", cluster.frontEnds().subList(0, 1));
                roll.restart("leading master", List.of(faults.leader()));
                Report report = roll.end();
                assertThat(report.isRight())
                        .as(() -> ReportText.of(List.of(report)))
                        .isTrue();
                assertThat(report.count(Outcome.DONE)).isPositive();
            }
            return System.nanoTime();
        });
    }

    @Test
    void aPausedServerAnswersNothingOldWhenItWakes() {
        run.pauseServer();
    }

    @Test
    void clientsDoNotNoticeAKilledLeader() {
        run.killLeader();
    }

    @Test
    @Tag("nightly")
    void aKilledFrontEndBreaksOnlyItsOwnConnections() {
        ChildProcess frontEnd = cluster.frontEnds().get(0);
        run.injectExcused("front end killed", Drill.ALL, () -> {
            frontEnd.kill();
            run.awaitWrites();
            return faults.restart(frontEnd);
        });
    }

    @Test
    void aRestartedDfsNodeGoesOnWithItsFiles() {
        run.restartDfs();
    }

    @Test
    void withoutMastersReadsAndWritesContinue() throws IOException {
        run.stopMasters(Duration.ofSeconds(5));
        for (ChildProcess master : cluster.masters()) {
            assertThat(master.hasLogged("snapshot restored")).as(master.name()).isTrue();
        }
    }

    @Test
    @Tag("nightly")
    void aMasterWithAnEmptyDiskIsReplacedByItself() {
        int follower = (cluster.leader() + 1) % cluster.masters().size();
        ChildProcess master = cluster.masters().get(follower);
        run.injectExcused("a master's disk destroyed", Drill.ALL, () -> {
            master.kill();
            FolderTree.delete(master.folder().resolve("data"));
            master.start();
            FaultCluster.PATIENCE.until(
                    "it is blank", () -> master.admin().readiness().missing().contains("blank"));
            String lost = cluster.member(follower);
            FaultCluster.PATIENCE.until("it is replaced", () -> cluster.changeMasters(lost, follower));
            return System.nanoTime();
        });
    }

    @Test
    void aServerCutOffOnlyFromTheMastersHasNoEffect() throws IOException {
        int server = faults.busiestServer();
        int partition = faults.partitionsOf(server).get(0);
        RangeRow row = faults.rowOf(partition);
        Key key = Key.of(faults.tableId(), RecordingClients.partitionKey(partition), "direct");
        Route route = Route.newBuilder()
                .setRange(row.getId())
                .setEpoch(row.getEpoch())
                .build();
        try (Channels channels = new Channels()) {
            DirectOwner owner = new DirectOwner(channels, cluster.serverAddress(server), route, key);
            assertThat(owner.write("before")).isEqualTo(ErrorCode.OK);
            assertThat(owner.read()).isEqualTo(ErrorCode.OK);

            run.injectExcused("server cut off from the masters", Drill.ALL, () -> {
                cluster.cutFromMasters(server);
                faults.awaitTakenOver(server);
                assertThat(owner.read()).isIn(NOT_EXECUTED);
                assertThat(owner.write("after")).isIn(NOT_EXECUTED);
                assertThat(owner.read()).isIn(NOT_EXECUTED);
                assertThat(stored(RecordingClients.partitionKey(partition), "direct"))
                        .contains("\"before\"");
                cluster.healToMasters(server);
                return System.nanoTime();
            });
        }
        assertThat(stored(RecordingClients.partitionKey(partition), "direct")).contains("\"before\"");
    }

    private String stored(String partitionKey, String rowKey) throws IOException {
        Endpoint endpoint = cluster.endpoints().get(0);
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            return connection
                    .exchange(new Requests(endpoint).get(FaultCluster.TABLE, partitionKey, rowKey))
                    .text();
        }
    }
}
