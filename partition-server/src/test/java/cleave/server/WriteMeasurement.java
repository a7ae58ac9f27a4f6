package cleave.server;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.settings.Settings;
import cleave.server.dfs.FileTransfer;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.TargetServers;
import cleave.server.policy.AnswerOrder;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.settings.RangeSettings;
import cleave.server.settings.ScrubSettings;
import cleave.server.store.ReaderPool;
import cleave.server.store.RocksRangeStores;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures writes and reads per second through one range, on RocksDB and the embedded DFS with its real fsync, with a
 * number of clients that each wait for their answer. To be run by hand: {@code WriteMeasurement [clients] [seconds]
 * [appends in flight]}.
 */
public final class WriteMeasurement {
    /** Nothing is handed over here. */
    static final TargetServers NOBODY = new TargetServers() {
        @Override
        public CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos) {
            return CompletableFuture.failedFuture(new IllegalStateException(address));
        }

        @Override
        public CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos) {
            return CompletableFuture.failedFuture(new IllegalStateException(address));
        }
    };

    private final Range range;
    private final int clients;
    private final AtomicLong done = new AtomicLong();
    private volatile boolean stopped;

    private WriteMeasurement(Range range, int clients) {
        this.range = range;
        this.clients = clients;
    }

    public static void main(String[] arguments) throws Exception {
        int clients = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        String inFlight = arguments.length > 2 ? arguments[2] : "4";
        Path folder = Files.createTempDirectory("write-measurement");
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        try (Dfs dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
                ThreadLoop loop = new ThreadLoop("server", Throwable::printStackTrace);
                ThreadLoop ranges = new ThreadLoop("ranges", Throwable::printStackTrace);
                ReaderPool readers = new ReaderPool(1);
                RocksRangeStores stores = new RocksRangeStores(
                        folder.resolve("stores"),
                        new FileTransfer(dfs),
                        new RocksRangeStores.Sizes(256 << 20, 128 << 20, 2, 0))) {
            ServerCore core = ServerCore.of(
                    loop,
                    new Membership.Self(
                            "s1",
                            20_000_000,
                            8,
                            RangeSettings.from(new Settings(Map.of("server.appends-in-flight", inFlight))),
                            ScrubSettings.OFF),
                    new Membership.Outside(
                            dfs,
                            new FakeMasters(),
                            NOBODY,
                            stores,
                            readers,
                            metrics,
                            List.of(ranges),
                            AnswerOrder.OF_THE_LOG));
            Directory directory = core.directory();
            ClusterFile.found(dfs, new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1"))
                    .join();
            core.membership().start("nowhere:1");
            while (directory.size() == 0) {
                LockSupport.parkNanos(1_000_000);
            }
            Range range = directory.all().iterator().next();
            new WriteMeasurement(range, clients).run(1, true); // Warms up.
            double writes = metrics.writes.get();
            double appends = metrics.appends.get();
            double perSecond = new WriteMeasurement(range, clients).run(seconds, true);
            writes = metrics.writes.get() - writes;
            appends = metrics.appends.get() - appends;
            print("writes/s=%.0f writes/append=%.1f", perSecond, writes / appends);
            double barriers = metrics.barriers.get();
            double reads = new WriteMeasurement(range, clients).run(seconds, false);
            barriers = metrics.barriers.get() - barriers;
            print("reads/s=%.0f reads/barrier=%.1f", reads, reads * seconds / barriers);
            core.membership().stop();
            CountDownLatch ended = new CountDownLatch(1);
            loop.submit(() -> ranges.submit(ended::countDown));
            ended.await();
        }
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    private double run(int seconds, boolean writes) {
        long began = System.nanoTime();
        for (int i = 0; i < clients; i++) {
            next(i, 0, writes);
        }
        LockSupport.parkNanos(seconds * 1_000_000_000L);
        stopped = true;
        return done.get() * 1e9 / (System.nanoTime() - began);
    }

    private void next(int client, int number, boolean writes) {
        if (stopped) {
            return;
        }
        Route route = Route.newBuilder()
                .setRange(range.ownership().range())
                .setEpoch(range.ownership().epoch())
                .build();
        Key key = Key.of(7, "client" + client, "row" + number % 1000);
        if (writes) {
            WriteRequest request = WriteRequest.newBuilder()
                    .setRoute(route)
                    .addOperations(WriteOperation.newBuilder()
                            .setKind(WriteKind.INSERT_OR_REPLACE)
                            .setKey(key.toWire())
                            .setEntity(ByteString.copyFrom(EntityCodec.encode(
                                    new Entity(0, List.of(new Property("V", EdmType.STRING, "x".repeat(1000))))))))
                    .build();
            range.requests().write(request, reply -> ended(client, number, true));
        } else {
            range.requests()
                    .read(
                            ReadRequest.newBuilder()
                                    .setRoute(route)
                                    .setKey(key.toWire())
                                    .build(),
                            reply -> ended(client, number, false));
        }
    }

    private void ended(int client, int number, boolean writes) {
        done.incrementAndGet();
        next(client, number + 1, writes);
    }
}
