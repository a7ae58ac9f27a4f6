package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterPlanTest {
    @TempDir
    private Path scratch;

    private Path dir() {
        return scratch.resolve("cluster");
    }

    private ClusterPlan plan(String... settings) {
        return planFrom(0, settings);
    }

    private ClusterPlan planFrom(int port, String... settings) {
        return new ClusterPlan(
                dir(), 1, 1, 1, new DfsPlan(null, null, null), port, null, null, false, true, List.of(settings));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.no-such=1",
                "server.heartbeat=soon",
                "server.drain-deadline=2h",
                "master.suspect=1ms",
                "front-end.body-bytes=0",
                "dfs-node.bulk-size=1GiB",
                "tls=no/such/folder"
            })
    void aSettingWithWhichNoProcessStartsLeavesTheFolderFree(String wrong) {
        assertThatThrownBy(() -> plan(wrong).settle())
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(wrong.substring(0, wrong.indexOf('=')));
        assertThat(dir()).doesNotExist();

        assertThat(plan("server.drain-deadline=1m").settle().nodes()).hasSize(5);
    }

    @Test
    void aWrongSettingIsToldBeforePortsAreLookedFor() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> planFrom(port, "server.heartbeat=soon").settle())
                    .isInstanceOf(BadSetting.class);
            assertThatThrownBy(() -> planFrom(port).settle())
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("port " + port + " is in use");
            assertThat(dir()).doesNotExist();
        }
    }

    @Test
    void aFileWithoutAnAccountAndAnUnknownHostLeaveTheFolderFree() throws IOException {
        Path empty = Files.writeString(scratch.resolve("accounts"), "# none\n");
        DfsPlan dfs = new DfsPlan(null, null, null);
        assertThatThrownBy(() -> new ClusterPlan(dir(), 1, 1, 1, dfs, 0, null, empty, false, false, List.of()).settle())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no account");
        assertThatThrownBy(
                        () -> new ClusterPlan(dir(), 1, 1, 1, dfs, 0, "no-such.invalid", null, false, false, List.of())
                                .settle())
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("'no-such.invalid' is no host that this machine knows");
        assertThat(dir()).doesNotExist();
    }

    @Test
    void everySettingOfARoleIsKnown() {
        assertThat(plan(
                                "server.checkpoint-log-bytes=32KiB",
                                "balancer.split-load=1000",
                                "throttle.account-entities-per-second=10",
                                "throttle.partition-entities-per-second=10",
                                "insecure-network=true")
                        .settle()
                        .nodes())
                .hasSize(5);
    }
}
