package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.model.Readiness;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code /readyz} is false while a role lacks something, says what, and becomes true when it is there. */
@Tag("nightly")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadinessIT {
    private static final Patience PATIENCE = Patience.ofSeconds(300);

    private Cluster cluster;

    @BeforeAll
    void found() {
        cluster = Cluster.planned(ClusterPlan.in(Folders.fresh("readiness")).masters(3));
        cluster.found(PATIENCE);
    }

    @AfterEach
    void killAll() {
        cluster.all().stream().filter(ChildProcess::isAlive).forEach(ChildProcess::kill);
    }

    @AfterAll
    void end() {
        cluster.close();
    }

    @Test
    void aServerWithoutAMasterIsNotReady() throws IOException {
        ChildProcess server = started(cluster.servers().get(0));
        started(cluster.dfsNodes().get(0));
        assertNotReady(server);
        startMasters(2);
        awaitReady(server);
        cluster.masters().subList(0, 2).forEach(ChildProcess::kill);
        assertThat(server.admin().isHealthy()).isTrue();
    }

    @Test
    void aServerWithoutTheDfsIsNotReady() throws IOException {
        startMasters(2);
        ChildProcess server = started(cluster.servers().get(0));
        assertNotReady(server);
        ChildProcess dfs = started(cluster.dfsNodes().get(0));
        awaitReady(server);
        dfs.kill();
        PATIENCE.until("the server lacks the dfs", () -> !server.admin().isReady());
        dfs.start();
        awaitReady(server);
    }

    @Test
    void aMasterWithoutAQuorumIsNotReady() throws IOException {
        started(cluster.dfsNodes().get(0));
        ChildProcess first = started(cluster.masters().get(0));
        assertNotReady(first);
        ChildProcess second = started(cluster.masters().get(1));
        awaitReady(first);
        awaitReady(second);
        second.kill();
        PATIENCE.until("the master lacks a quorum", () -> !first.admin().isReady());
        second.start();
        awaitReady(first);
    }

    @Test
    void aFrontEndWithoutAMapIsNotReady() throws IOException {
        ChildProcess frontEnd = started(cluster.frontEnds().get(0));
        assertNotReady(frontEnd);
        startMasters(2);
        started(cluster.dfsNodes().get(0));
        started(cluster.servers().get(0));
        awaitReady(frontEnd);
    }

    private void startMasters(int count) {
        cluster.masters().subList(0, count).forEach(ReadinessIT::started);
    }

    /** The process, when its admin port answers. */
    private static ChildProcess started(ChildProcess process) {
        process.start();
        PATIENCE.until(process.name() + " is healthy", () -> process.admin().isHealthy());
        return process;
    }

    /** Not ready, even when its start has ended, and it says what is missing. */
    private static void assertNotReady(ChildProcess process) throws IOException {
        PATIENCE.until(process.name() + " has started", () -> process.hasLogged("role started"));
        Readiness readiness = process.admin().readiness();
        assertThat(readiness.ready()).as(readiness.missing()).isFalse();
        assertThat(readiness.missing()).isNotBlank();
    }

    private static void awaitReady(ChildProcess process) {
        PATIENCE.until(process.name() + " is ready", () -> process.admin().isReady());
    }
}
