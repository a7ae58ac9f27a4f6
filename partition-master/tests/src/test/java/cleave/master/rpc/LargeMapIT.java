package cleave.master.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterState;
import cleave.model.KnownMasters;
import cleave.model.Limits;
import cleave.model.PartitionMap;
import cleave.route.rpc.MapWatcher;
import cleave.runtime.loop.Await;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A map in several messages, for no message may be so large, over real gRPC. */
@Timeout(300)
class LargeMapIT {
    private static final int RANGES = 40_000;
    private static final int NIGHTLY = 200_000;
    private static final int WATCHERS = 50;

    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final ThreadLoop feedLoop = new ThreadLoop("feed", fault::complete);
    private final ThreadLoop watcherLoop = new ThreadLoop("watcher", fault::complete);
    private final MapFeed feed = new MapFeed(feedLoop, new MasterMetrics(new CollectorRegistry()), this::knownMasters);
    private final RpcServer master = RpcServer.start("127.0.0.1:0", new WatchService(feed));
    private final Channels channels = new Channels();

    @AfterEach
    void close() {
        channels.close();
        master.close();
        feedLoop.close();
        watcherLoop.close();
        assertThat(fault).isNotDone();
    }

    @Test
    void watcherFollowsALargeMapThroughAChangeOfAllItsRows() throws Exception {
        follow(LargeMap.state(RANGES));
    }

    @Test
    @Tag("nightly")
    void watcherFollowsAMapOf200000RowsThroughAChangeOfAllOfThem() throws Exception {
        follow(LargeMap.state(NIGHTLY));
    }

    private void follow(MasterState large) throws Exception {
        feed.changed(large);
        try (MapWatcher watcher = new MapWatcher(watcherLoop, channels, List.of(master.address()), new Random(1))) {
            watcher.start();
            await(watcher, map -> map.version() == large.mapVersion());
            assertThat(watcher.current().rows())
                    .containsExactlyElementsOf(large.rows().all());
            MasterState changed = LargeMap.changedEverywhere(large);
            feed.changed(changed);
            await(watcher, map -> map.version() == changed.mapVersion());
            assertThat(watcher.current().rows())
                    .containsExactlyElementsOf(changed.rows().all());
        }
    }

    /** They hold no map themselves, so what is measured is the master. */
    @Test
    @Tag("nightly")
    void fiftyWatchersGetIt() throws Exception {
        feed.changed(LargeMap.state(NIGHTLY));
        Reader stalled = new Reader(0);
        MapWatchGrpc.newStub(channels.to(master.address())).watch(Reader.REQUEST, stalled);
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < WATCHERS; i++) {
            Reader reader = new Reader(Integer.MAX_VALUE);
            readers.add(reader);
            MapWatchGrpc.newStub(channels.to(master.address())).watch(Reader.REQUEST, reader);
        }
        for (Reader reader : readers) {
            assertThat(reader.whole.get(120, TimeUnit.SECONDS)).isEqualTo(NIGHTLY);
            assertThat(reader.largest).isLessThan(Limits.MESSAGE_BYTES_MAX / 16);
        }
        assertThat(stalled.whole).isNotDone();
    }

    /** A group of one: a master in no group refuses watchers. */
    private KnownMasters knownMasters() {
        return new KnownMasters(master.address(), 1, List.of(master.address()));
    }

    private static void await(MapWatcher watcher, Predicate<PartitionMap> wanted) {
        Await.until("the map", () -> wanted.test(watcher.current()));
    }

    /** Counts the rows of the whole map. Called by gRPC, one call at a time. */
    static final class Reader implements ClientResponseObserver<WatchRequest, MapUpdate> {
        static final WatchRequest REQUEST =
                WatchRequest.newBuilder().setPieces(true).build();

        final CompletableFuture<Integer> whole = new CompletableFuture<>();
        private final int takes;
        private int largest;
        long bytes;
        private int rows;

        Reader(int takes) {
            this.takes = takes;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> stream) {
            if (takes == 0) {
                stream.disableAutoRequestWithInitial(1);
            }
        }

        @Override
        public void onNext(MapUpdate update) {
            largest = Math.max(largest, update.getSerializedSize());
            bytes += update.getSerializedSize();
            rows += update.getRowsCount();
            if (!update.getMore()) {
                whole.complete(rows);
            }
        }

        @Override
        public void onError(Throwable failure) {
            whole.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {}
    }
}
