package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.ChildProcess;
import cleave.chaos.system.Folders;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.model.Key;
import cleave.runtime.rpc.Channels;
import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes are killed, paused and cut off while clients that never retry work on every range. What is asserted is what clients
 * saw, never how long it took.
 */
class FaultsIT extends FaultScenes {
    private static final int CHECKPOINTS = 5;

    private static final Duration REQUEST = Duration.ofSeconds(60);

    @Override
    FaultCluster started() {
        FaultCluster started = FaultCluster.started(FaultCluster.plan(Folders.fresh("faults")));
        Workload warmUp = started.workload(0); // A writer for each partition.
        warmUp.start();
        started.awaitCheckpoints(CHECKPOINTS);
        warmUp.stop();
        assertThat(started.cluster().admin().ranges()).hasSizeGreaterThanOrEqualTo(FaultCluster.PARTITIONS);
        return started;
    }

    @Test
    void aKilledServersRangesAreServedByOthers() {
        faults.killServer(faults.busiestServer(), workload);
    }

    @Test
    @Tag("nightly")
    void aRestartInOrderFailsNoClientThatRetriesAsSdksDo() {
        try (ReadyFrontEnds frontEnds = new ReadyFrontEnds(cluster)) {
            SdkLoad load = new SdkLoad(frontEnds, 2, Duration.ofMillis(20));
            RollingRestart rolling = new RollingRestart(cluster, load, false, line -> {});
            try (load) {
                load.start();
                rolling.restart("server", cluster.servers().subList(0, 1));
                rolling.restart("front end", cluster.frontEnds().subList(0, 1));
                rolling.restart("leading master", List.of(faults.leader()));
            }
            RollingRestart.Report report = rolling.report();
            assertThat(report.isRight()).as(report.text()).isTrue();
            assertThat(load.writes()).isPositive();
        }
    }

    @Test
    void aPausedServerAnswersNothingOldWhenItWakes() {
        faults.pauseServer(faults.busiestServer(), workload);
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    @Test
    void clientsDoNotNoticeAKilledLeader() {
        ChildProcess leader = cluster.masters().get(cluster.leader());
        long from = System.nanoTime();
        leader.kill();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        noErrorSince(from);
        FaultCluster.PATIENCE.until("another master leads", () -> cluster.leader() >= 0);
        faults.restart(leader);
    }

    @Test
    @Tag("nightly")
    void aKilledFrontEndBreaksOnlyItsOwnConnections() {
        ChildProcess frontEnd = cluster.frontEnds().get(0);
        frontEnd.kill();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        faults.restart(frontEnd);
    }

    @Test
    void aRestartedDfsNodeGoesOnWithItsFiles() {
        faults.restartDfs();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    @Test
    void withoutMastersReadsAndWritesContinue() throws IOException {
        cluster.masters().forEach(ChildProcess::kill);
        long from = System.nanoTime();
        for (int round = 0; round < 20; round++) {
            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        }
        noErrorSince(from);
        cluster.masters().forEach(ChildProcess::start);
        cluster.awaitReady(FaultCluster.PATIENCE);
        for (ChildProcess master : cluster.masters()) {
            assertThat(master.hasLogged("snapshot restored")).as(master.name()).isTrue();
        }
    }

    @Test
    @Tag("nightly")
    void aMasterWithAnEmptyDiskIsReplacedByItself() throws IOException {
        int follower = (cluster.leader() + 1) % cluster.masters().size();
        ChildProcess master = cluster.masters().get(follower);
        master.kill();
        deleteAll(master.folder().resolve("data"));
        master.start();
        FaultCluster.PATIENCE.until(
                "it is blank", () -> master.admin().readiness().missing().contains("blank"));
        String lost = cluster.member(follower);
        FaultCluster.PATIENCE.until("it is replaced", () -> cluster.changeMasters(lost, follower));
        cluster.awaitReady(FaultCluster.PATIENCE);
    }

    @Test
    void aServerCutOffOnlyFromTheMastersHasNoEffect() throws IOException {
        int server = faults.busiestServer();
        int partition = faults.partitionsOf(server).get(0);
        RangeRow row = faults.rowOf(partition);
        Key key = Key.of(faults.tableId(), Workload.partitionKey(partition), "direct");
        Route route = Route.newBuilder()
                .setRange(row.getId())
                .setEpoch(row.getEpoch())
                .build();
        try (Channels channels = new Channels()) {
            DirectOwner owner = new DirectOwner(channels, cluster.serverAddress(server), route, key);
            assertThat(owner.write("before")).isEqualTo(ErrorCode.OK);
            assertThat(owner.read()).isEqualTo(ErrorCode.OK);

            cluster.cutFromMasters(server);
            faults.awaitTakenOver(server);
            List<ErrorCode> notExecuted =
                    List.of(ErrorCode.NOT_OWNER, ErrorCode.BUSY, ErrorCode.UNAVAILABLE, ErrorCode.UNKNOWN_OUTCOME);
            assertThat(owner.read()).isIn(notExecuted);
            assertThat(owner.write("after")).isIn(notExecuted);
            assertThat(owner.read()).isIn(notExecuted);
            assertThat(stored(Workload.partitionKey(partition), "direct")).contains("\"before\"");
        }
        cluster.healToMasters(server);
        cluster.awaitReady(FaultCluster.PATIENCE);
        assertThat(stored(Workload.partitionKey(partition), "direct")).contains("\"before\"");
    }

    private String stored(String partitionKey, String rowKey) throws IOException {
        Endpoint endpoint = cluster.endpoints().get(0);
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            return connection
                    .exchange(new Requests(endpoint).get(FaultCluster.TABLE, partitionKey, rowKey))
                    .text();
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
