package cleave.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.loop.ManualLoop;
import cleave.server.dfs.AppendProbe;
import org.junit.jupiter.api.Test;

class AppendProbeTest {
    private final ManualLoop loop = new ManualLoop();
    private final InMemoryDfs dfs = new InMemoryDfs();
    private final AppendProbe probe = new AppendProbe(loop, dfs, "servers/s1/disk", "life");

    @Test
    void whereNothingCanBeAppendedNoFilesPileUp() {
        dfs.holdAppends(path -> true);
        probe.start();
        loop.runReady();
        for (int second = 0; second < 10; second++) {
            dfs.handles().forEach(path -> dfs.breakAppends(path, 0));
            loop.advanceMillis(1_000);
        }
        assertThat(probe.canAppend()).isFalse();
        assertThat(dfs.handles()).hasSizeLessThan(2);
        assertThat(dfs.paths("servers/s1/")).hasSizeLessThan(2);
        dfs.releaseAppends();
        loop.advanceMillis(2_000);
        assertThat(probe.canAppend()).isTrue();
    }

    @Test
    void whatAnEarlierProcessOnTheSameDiskLeftIsDeletedAndWhatOthersUseIsNot() {
        dfs.create("servers/s1/disk-earlier-1");
        dfs.create("servers/s1/other-life-1");
        dfs.create("servers/s1/disk2-life-1");
        dfs.takeByOthers(path -> path.equals("servers/s1/disk-life-1"));
        probe.start();
        loop.advanceMillis(10_000);
        assertThat(probe.canAppend()).isTrue();
        probe.stop();
        loop.runReady();
        assertThat(dfs.paths("servers/"))
                .containsExactly("servers/s1/disk-life-1", "servers/s1/disk2-life-1", "servers/s1/other-life-1");
    }
}
