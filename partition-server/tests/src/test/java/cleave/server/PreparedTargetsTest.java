package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Invariant;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.server.handoff.PreparedTargets;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Readers;
import cleave.server.policy.AnswerOrder;
import cleave.server.range.AccountShares;
import cleave.server.range.ArmedFence;
import cleave.server.range.ClusterLevel;
import cleave.server.range.Directory;
import cleave.server.range.FenceBarriers;
import cleave.server.range.Range;
import cleave.server.range.SlowRequests;
import cleave.server.range.TimestampLimit;
import cleave.server.store.InMemoryStores;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.Route;
import cleave.wire.ScanRequest;
import cleave.wire.WriteKind;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Targets whose ranges run in another loop than the membership. */
class PreparedTargetsTest {
    private final Cluster cluster = new Cluster();
    private final QuickLoop quick = new QuickLoop(cluster.loop);
    private final InMemoryStores stores = new InMemoryStores(cluster.dfs);
    private final Directory directory = new Directory();
    private final Incarnation self = new Incarnation("s2", 7);
    private final PreparedTargets prepared = new PreparedTargets(
            self,
            cluster.loop,
            this::context,
            directory,
            directory::put,
            (range, row, end, why) -> cluster.loop.submit(() -> directory.remove(range)));

    /** A thread that is done with an event before the one that submitted it goes on. */
    private static final class QuickLoop implements EventLoop {
        private final EventLoop clock;
        private final Deque<Runnable> events = new ArrayDeque<>();
        private boolean inside;

        QuickLoop(EventLoop clock) {
            this.clock = clock;
        }

        @Override
        public void submit(Runnable event) {
            events.add(event);
            if (!inside) {
                inside = true;
                while (!events.isEmpty()) {
                    events.remove().run();
                }
                inside = false;
            }
        }

        @Override
        public Timer schedule(long delayNanos, Runnable event) {
            return clock.schedule(delayNanos, () -> submit(event));
        }

        @Override
        public void assertInside() {
            Invariant.check(inside, "called outside of its loop");
        }

        @Override
        public long nanos() {
            return clock.nanos();
        }

        @Override
        public long ticks() {
            return clock.ticks();
        }
    }

    private Range.Outside context() {
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        Readers none = new Readers() {
            @Override
            public <T> @Nullable CompletableFuture<T> submit(int account, Scan<T> scan) {
                return null;
            }
        };
        return new Range.Outside(
                self,
                quick,
                cluster.dfs,
                cluster.masters,
                stores,
                none,
                Cluster.SETTINGS,
                metrics,
                AnswerOrder.OF_THE_LOG,
                AccountShares.ofMemory(1 << 20, metrics),
                new SlowRequests(),
                new TimestampLimit(),
                new ClusterLevel(FeatureLevels.SUPPORTED),
                new FenceBarriers(quick, new ArmedFence(Long.MAX_VALUE, (file, why) -> {}), metrics),
                new AtomicLong());
    }

    private Answer<PrepareReply> prepare(long handoff, Row source) {
        Answer<PrepareReply> prepare = new Answer<>();
        cluster.loop.run(() -> prepared.prepare(PrepareRequest.newBuilder()
                        .setHandoff(handoff)
                        .setTo(self.toWire())
                        .setStart(source.range().startToWire())
                        .setEnd(source.range().endToWire())
                        .addSources(source.toWire())
                        .build())
                .thenAccept(prepare));
        cluster.loop.runReady();
        return prepare;
    }

    @Test
    void moreTargetsThanAServerPreparesAreBusy() {
        cluster.start("s1").write(WriteKind.INSERT, Node.key("a"), "1");
        Row source = cluster.masters.onlyRow();
        cluster.dfs.createAnswers.hold(path -> true);
        for (int handoff = 1; handoff <= 64; handoff++) {
            assertThat(prepare(handoff, source).isGiven()).isFalse();
        }

        assertThat(prepare(65, source).get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void aRangeThatClosesAsSoonAsItIsServedLeavesTheDirectory() {
        Node source = cluster.start("s1");
        source.write(WriteKind.INSERT, Node.key("a"), "1");
        Row before = cluster.masters.onlyRow();
        Answer<PrepareReply> prepare = prepare(1, before);
        cluster.settle();
        long next = before.version() + 1;
        String manifest = prepare.get().getManifest();
        Row after = new Row(before.id(), before.range(), self, manifest, next, next);
        cluster.loop.run(() -> prepared.ordered(after));
        Route route =
                Route.newBuilder().setRange(after.id()).setEpoch(after.epoch()).build();
        Range range = Objects.requireNonNull(directory.range(route));
        // It waits until the range serves, is refused at once for want of readers, and has the range closed.
        range.requests().scan(ScanRequest.newBuilder().setRoute(route).build(), reply -> range.close("a test says so"));

        Answer<FinishReply> finish = new Answer<>();
        cluster.loop.run(() -> prepared.finish(FinishRequest.newBuilder()
                        .setHandoff(1)
                        .setTo(self.toWire())
                        .setRow(after.toWire())
                        .build())
                .thenAccept(finish));

        assertThat(finish.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(directory.range(after.id())).isNull();
    }
}
