package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.client.ClientLimits;
import cleave.dfs.client.StreamClient;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import io.prometheus.client.CollectorRegistry;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StreamClientTest {
    private static final long SECOND = 1_000_000_000L;

    private final Random random = new Random(1);
    private final SimTime time = new SimTime(random);
    private final SimNode node = new SimNode(time, random, new NodeLimits(1 << 20, 4_000));
    private final CollectorRegistry registry = new CollectorRegistry();

    @Test
    void aFileThatIsCreatedAfterItsCallerGaveUpIsClosed() {
        node.calmDown();
        ClientLimits hasty = new ClientLimits(1, 1_000_000, 10_000_000, SECOND, 1 << 20);
        StreamClient client = StreamClient.of(
                hasty, new StreamClient.Outside(time.loop(), node.link(), random, new DfsMetrics(registry), () -> {}));
        time.runFor(SECOND);
        CompletableFuture<DfsFile> created = client.create("some/file");
        time.runFor(SECOND);
        assertThat(created).isCompletedExceptionally();
        assertThat(registry.getSampleValue("cleave_dfs_client_open_files")).isZero();
    }
}
