package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Readiness;
import cleave.runtime.loop.ManualLoop;
import cleave.server.dfs.DfsProbe;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DfsProbeTest {
    private final ManualLoop loop = new ManualLoop();
    private final InMemoryDfs dfs = new InMemoryDfs();
    private final DfsProbe probe = new DfsProbe(loop, dfs);

    @Test
    void whatTheDfsAnswersCountsForSomeSeconds() {
        assertThat(probe.readiness().ready()).isFalse();
        probe.start();
        loop.runReady();
        assertThat(probe.readiness()).isEqualTo(Readiness.READY);

        dfs.probe = Readiness.missing("its node is down");
        loop.advanceMillis(3_000);
        assertThat(probe.readiness().ready()).isTrue();
        loop.advanceMillis(3_000);
        assertThat(probe.readiness().ready()).isFalse();

        dfs.probe = Readiness.READY;
        loop.advanceMillis(1_000);
        assertThat(probe.readiness().ready()).isTrue();
    }

    @Test
    void silenceBeginsWithTheFirstQuestionThatIsNotAnswered() {
        assertThat(silentMillis()).isZero();
        probe.start();
        loop.runReady();
        loop.advanceMillis(500);
        assertThat(silentMillis()).isZero();

        dfs.probe = Readiness.missing("its node is down");
        loop.advanceMillis(500);
        assertThat(silentMillis()).isZero();
        loop.advanceMillis(2_500);
        assertThat(silentMillis()).isEqualTo(2_500);

        dfs.probe = Readiness.READY;
        loop.advanceMillis(500);
        assertThat(silentMillis()).isZero();
    }

    private long silentMillis() {
        AtomicLong silentNanos = new AtomicLong();
        loop.submit(() -> silentNanos.set(probe.silentNanos()));
        loop.runReady();
        return silentNanos.get() / 1_000_000;
    }

    @Test
    void onAFullDiskAServerIsNotReadyAndWhereSpaceIsShortItSaysSo() {
        probe.start();
        loop.runReady();

        dfs.space(Dfs.Space.LOW);
        assertThat(probe.readiness().ready()).isTrue();
        assertThat(probe.readiness()).isNotEqualTo(Readiness.READY);
        dfs.space(Dfs.Space.FULL);
        assertThat(probe.readiness().ready()).isFalse();
    }

    /** A file for each question would stay among the deleted paths forever. */
    @Test
    void itLeavesNoFiles() {
        probe.start();
        loop.advanceMillis(10_000);
        probe.stop();
        loop.advanceMillis(10_000);

        assertThat(dfs.appends).isZero();
        assertThat(dfs.paths("servers/")).isEmpty();
    }
}
