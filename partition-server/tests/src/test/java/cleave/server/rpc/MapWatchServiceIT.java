package cleave.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.KnownMasters;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.route.MapView;
import cleave.route.rpc.MapWatcher;
import cleave.runtime.loop.Await;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The map as servers pass it on, when it is larger than a message can be. */
@Timeout(300)
class MapWatchServiceIT {
    private static final int RANGES = 200_000;
    private static final String CLUSTER = "a";

    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final ThreadLoop serverLoop = new ThreadLoop("server", fault::complete);
    private final ThreadLoop watcherLoop = new ThreadLoop("watcher", fault::complete);
    private final Followed followed = new Followed();
    private final RpcServer server = RpcServer.start("127.0.0.1:0", service(serverLoop, followed));
    private final Channels channels = new Channels();

    private static MapWatchService service(EventLoop loop, MapView map) {
        return new MapWatchService(loop, map);
    }

    /** The map that the server has learnt from the masters. Thread-safe. */
    private static final class Followed implements MapView {
        private volatile PartitionMap current = PartitionMap.EMPTY;
        private volatile Runnable listener = () -> {};

        @Override
        public PartitionMap current() {
            return current;
        }

        @Override
        public void onChange(Runnable told) {
            listener = told;
        }

        void learn(PartitionMap map) {
            current = map;
            listener.run();
        }
    }

    @AfterEach
    void close() {
        channels.close();
        server.close();
        serverLoop.close();
        watcherLoop.close();
        assertThat(fault).isNotDone();
    }

    private static PartitionMap map(long version) {
        List<Row> rows = new ArrayList<>();
        Key start = Key.MIN;
        for (int i = 0; i < RANGES; i++) {
            Key end = Key.beforePartition(7, String.format(Locale.ROOT, "customer-%011d", i + 1));
            KeyRange range = new KeyRange(start, i + 1 < RANGES ? end : null);
            Incarnation owner = new Incarnation("server-" + i % 100, version);
            rows.add(new Row(Row.id(1 + i, 0), range, owner, "manifests/" + i, version, version));
            start = end;
        }
        MapChange.Header header = new MapChange.Header(version, true, List.of(), KnownMasters.NONE, 0, CLUSTER);
        return PartitionMap.EMPTY.with(MapChange.whole(header, rows.iterator()));
    }

    @Test
    @Tag("nightly")
    void mapOf200000RowsAndAChangeOfAllOfThemAreLearntFromAServer() throws Exception {
        PartitionMap first = map(1_000_000);
        followed.learn(first);
        try (MapWatcher watcher = new MapWatcher(watcherLoop, channels, List.of(server.address()), new Random(1))) {
            watcher.start();
            await(watcher, first);
            PartitionMap second = map(1_000_001);
            followed.learn(second);
            await(watcher, second);
        }
    }

    @Test
    void aWatcherOfAnotherClusterIsToldWhoseMapThisIs() throws Exception {
        followed.learn(map(7));
        try (MapWatcher watcher = new MapWatcher(watcherLoop, channels, List.of(server.address()), new Random(1))) {
            watcher.start("another");
            Await.until("the refusal", () -> !watcher.refusal().isEmpty());
            assertThat(watcher.refusal()).contains("is of cluster " + CLUSTER, "the map of cluster another");
            assertThat(watcher.current().rows()).isEmpty();
        }
    }

    private static void await(MapWatcher watcher, PartitionMap wanted) {
        Await.until("the map", () -> watcher.current().version() == wanted.version());
        assertThat(watcher.current().rows()).containsExactlyElementsOf(wanted.rows());
    }
}
