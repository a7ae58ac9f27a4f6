package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node whose disk fails. */
@Timeout(300)
final class NodeThreadsTest {
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();

    private LocalNode start(Disk disk) throws IOException {
        NodeLimits limits = new NodeLimits(1 << 20, 4_000);
        return LocalNode.start(
                disk,
                new LocalNode.Start("n1", limits, new Random(1), fault::complete),
                new DfsMetrics(new CollectorRegistry()));
    }

    @Test
    void aFullDiskMakesCallersWaitUntilThereIsRoom() throws Exception {
        ForgetfulDisk disk = new ForgetfulDisk();
        try (LocalNode node = start(disk)) {
            node.link().probe().get(30, TimeUnit.SECONDS);
            disk.failWrites(2);

            CompletableFuture<List<NodeLink.LengthAnswer>> fence = node.link().fence(node.id(), List.of(1L));

            assertThat(fence.get(30, TimeUnit.SECONDS)).hasSize(1);
            assertThat(disk.failsWrites()).isFalse();
            assertThat(node.readiness().missing()).isEmpty();
            assertThat(fault).isNotDone();
        }
    }

    @Test
    void moreReadsThanMayWaitAreRefused() throws Exception {
        ForgetfulDisk disk = new ForgetfulDisk();
        CountDownLatch go = new CountDownLatch(1);
        try (NodeThreads threads = new NodeThreads(
                disk,
                new ExtentFiles(disk),
                SpaceMarks.NONE,
                new DfsMetrics(new CollectorRegistry()),
                fault::complete)) {
            for (int i = 0; i < NodeThreads.READERS + NodeThreads.READS_MAX; i++) {
                threads.readers().execute(() -> await(go));
            }

            assertThatThrownBy(() -> threads.readers().execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class);
            go.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException hurried) {
            throw new AssertionError(hurried);
        }
    }

    @Test
    void aFailedSyncIsAFaultAndNothingIsAnsweredAfterIt() throws Exception {
        ForgetfulDisk disk = new ForgetfulDisk();
        try (LocalNode node = start(disk)) {
            node.link().probe().get(30, TimeUnit.SECONDS);
            disk.failSyncs(true);

            CompletableFuture<List<NodeLink.LengthAnswer>> fence = node.link().fence(node.id(), List.of(1L));

            assertThat(fault.get(30, TimeUnit.SECONDS)).hasMessageContaining("told to fail");
            assertThat(fence).isNotDone();
            assertThat(node.readiness().ready()).isFalse();
        }
    }
}
