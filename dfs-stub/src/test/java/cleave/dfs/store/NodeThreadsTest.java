package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node does when its disk fails. */
@Timeout(300)
final class NodeThreadsTest {
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();

    /** A disk whose files fail as told. */
    private static final class FailingDisk implements Disk {
        final ForgetfulDisk disk = new ForgetfulDisk();
        final AtomicInteger failingWrites = new AtomicInteger();
        volatile boolean failsSyncs;

        @Override
        public File open(String name) throws IOException {
            File file = disk.open(name);
            return new File() {
                @Override
                public long size() throws IOException {
                    return file.size();
                }

                @Override
                public void write(long position, ByteBuffer bytes) throws IOException {
                    if (failingWrites.get() > 0) {
                        failingWrites.decrementAndGet();
                        throw new IOException("No space left on device");
                    }
                    file.write(position, bytes);
                }

                @Override
                public int read(long position, ByteBuffer target) throws IOException {
                    return file.read(position, target);
                }

                @Override
                public void truncate(long size) throws IOException {
                    file.truncate(size);
                }

                @Override
                public void sync() throws IOException {
                    if (failsSyncs) {
                        throw new java.io.SyncFailedException("Input/output error");
                    }
                    file.sync();
                }

                @Override
                public void close() throws IOException {
                    file.close();
                }
            };
        }

        @Override
        public boolean exists(String name) {
            return disk.exists(name);
        }

        @Override
        public List<String> list(String folder) {
            return disk.list(folder);
        }

        @Override
        public void rename(String from, String to) throws IOException {
            disk.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            disk.delete(name);
        }

        @Override
        public void syncFolder(String folder) throws IOException {
            disk.syncFolder(folder);
        }

        @Override
        public long freeBytes() {
            return disk.freeBytes();
        }

        @Override
        public long totalBytes() {
            return disk.totalBytes();
        }

        @Override
        public void close() {
            disk.close();
        }
    }

    private LocalNode start(Disk disk) throws IOException {
        NodeLimits limits = new NodeLimits(1 << 20, 4_000);
        return LocalNode.start(
                disk,
                new LocalNode.Start("n1", limits, new Random(1), fault::complete),
                new DfsMetrics(new CollectorRegistry()));
    }

    @Test
    void aFullDiskMakesCallersWaitUntilThereIsRoom() throws Exception {
        FailingDisk disk = new FailingDisk();
        try (LocalNode node = start(disk)) {
            node.link().probe().get(30, TimeUnit.SECONDS);
            disk.failingWrites.set(2);

            CompletableFuture<List<NodeLink.LengthAnswer>> fence = node.link().fence(node.id(), List.of(1L));

            assertThat(fence.get(30, TimeUnit.SECONDS)).hasSize(1);
            assertThat(disk.failingWrites.get()).isZero();
            assertThat(node.readiness().missing()).isEmpty();
            assertThat(fault).isNotDone();
        }
    }

    @Test
    void moreReadsThanMayWaitAreRefused() throws Exception {
        FailingDisk disk = new FailingDisk();
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
        FailingDisk disk = new FailingDisk();
        try (LocalNode node = start(disk)) {
            node.link().probe().get(30, TimeUnit.SECONDS);
            disk.failsSyncs = true;

            CompletableFuture<List<NodeLink.LengthAnswer>> fence = node.link().fence(node.id(), List.of(1L));

            assertThat(fault.get(30, TimeUnit.SECONDS)).hasMessageContaining("Input/output error");
            assertThat(fence).isNotDone();
            assertThat(node.readiness().ready()).isFalse();
        }
    }
}
