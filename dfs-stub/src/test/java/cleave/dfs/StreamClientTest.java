package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.loop.NodeCore;
import cleave.dfs.loop.StreamClient;
import cleave.dfs.metrics.DfsMetrics;
import io.prometheus.client.CollectorRegistry;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StreamClientTest {
    private static final long SECOND = 1_000_000_000L;

    private final Random random = new Random(1);
    private final SimTime time = new SimTime(random);
    private final SimNode node = new SimNode(time, random, new NodeCore.Limits(1 << 20, 4_000));
    private final CollectorRegistry registry = new CollectorRegistry();

    @Test
    void aFileThatIsCreatedAfterItsCallerGaveUpIsClosed() {
        node.calmDown();
        StreamClient.Limits hasty = new StreamClient.Limits(1, 1_000_000, 10_000_000, SECOND, 1 << 20);
        StreamClient client =
                new StreamClient(time.loop(), node.link(), random, hasty, new DfsMetrics(registry), () -> {});
        time.runFor(SECOND);
        CompletableFuture<DfsFile> created = client.create("some/file");
        time.runFor(SECOND);
        assertThat(created).isCompletedExceptionally();
        assertThat(registry.getSampleValue("cleave_dfs_client_open_files_count"))
                .isZero();
    }
}
