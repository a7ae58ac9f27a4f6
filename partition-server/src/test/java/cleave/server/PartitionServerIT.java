package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOrderSource;
import cleave.wire.HandoffOrderTarget;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WatchRequest;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole partition servers over real gRPC, RocksDB and the embedded DFS; the masters are in memory behind real gRPC. */
@Timeout(300)
class PartitionServerIT {
    @TempDir
    private Path folder;

    private Dfs dfs;
    private GrpcFakeMasters masters;
    private final Channels channels = new Channels();
    private final Map<String, PartitionServer> servers = new TreeMap<>();
    private final Map<String, ServerMetrics> metrics = new TreeMap<>();
    private final List<NetworkLoops> networks = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        ClusterFile.found(dfs, new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1"))
                .join();
        masters = new GrpcFakeMasters();
    }

    @AfterEach
    void end() {
        servers.values().forEach(PartitionServer::close);
        channels.close();
        masters.close();
        dfs.close();
        networks.forEach(NetworkLoops::close);
        assertThat(faults).isEmpty();
    }

    private PartitionServer start(String id) {
        Settings settings = new Settings(Map.of(
                "server.id",
                id,
                "server.dir",
                folder.resolve(id).toString(),
                "masters",
                masters.address(),
                "server.heartbeat",
                "20ms",
                "server.block-cache",
                "16MiB",
                "server.write-buffer",
                "8MiB",
                "server.checkpoint-log-bytes",
                "20KiB"));
        ServerMetrics counted = new ServerMetrics(new CollectorRegistry());
        NetworkLoops network = NetworkLoops.start("test-ranges", 2);
        networks.add(network);
        PartitionServer server =
                new PartitionServer(ServerConfig.from(settings), Transport.PLAIN, network, counted, dfs, faults::add);
        server.start();
        servers.put(id, server);
        metrics.put(id, counted);
        return server;
    }

    /** Polls until it holds; the test's time limit ends it otherwise. */
    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000); // Polls; nothing rests on how long it takes.
        }
    }

    private RangesGrpc.RangesBlockingStub ranges(String id) {
        PartitionServer server = servers.get(id);
        if (server == null) {
            throw new AssertionError("not started: " + id);
        }
        return RangesGrpc.newBlockingStub(channels.to(server.address()));
    }

    private static Route route(Row row) {
        return Route.newBuilder().setRange(row.id()).setEpoch(row.epoch()).build();
    }

    private static Key key(int number) {
        return Key.of(7, "p%03d".formatted(number), "r");
    }

    private static ByteString entity(String value) {
        return ByteString.copyFrom(
                EntityCodec.encode(new Entity(0, List.of(new Property("V", EdmType.STRING, value)))));
    }

    private WriteReply write(String id, Row row, WriteKind kind, int number, @Nullable String value) {
        WriteOperation.Builder operation =
                WriteOperation.newBuilder().setKind(kind).setKey(key(number).toWire());
        if (value != null) {
            operation.setEntity(entity(value));
        }
        return ranges(id)
                .write(WriteRequest.newBuilder()
                        .setRoute(route(row))
                        .addOperations(operation)
                        .build());
    }

    private ReadReply read(String id, Row row, int number) {
        return ranges(id)
                .read(ReadRequest.newBuilder()
                        .setRoute(route(row))
                        .setKey(key(number).toWire())
                        .build());
    }

    private ScanReply scan(String id, Row row) {
        return ranges(id)
                .scan(ScanRequest.newBuilder()
                        .setRoute(route(row))
                        .setStart(row.range().start().toWire())
                        .setEnd(row.range().endToWire())
                        .build());
    }

    /** Waits until the server serves the only row. */
    private Row served(String id) {
        await(() -> {
            Row row = masters.call(fake -> fake.rows.firstEntry().getValue());
            return row.owner() != null
                    && row.owner().server().equals(id)
                    && read(id, row, 0).getStatus().getCode() != ErrorCode.NOT_OWNER;
        });
        return masters.call(fake -> fake.rows.firstEntry().getValue());
    }

    @Test
    void aServerRegistersOpensServesAndIsReady() {
        PartitionServer server = start("s1");
        Row row = served("s1");
        assertThat(write("s1", row, WriteKind.INSERT, 1, "one").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        assertThat(write("s1", row, WriteKind.INSERT, 1, "two").getStatus().getCode())
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(EntityCodec.decode(read("s1", row, 1).getEntity().toByteArray())
                        .property("V"))
                .isEqualTo(new Property("V", EdmType.STRING, "one"));
        assertThat(scan("s1", row).getRowsCount()).isEqualTo(1);
        await(() -> server.readiness().ready());
    }

    @Test
    void aServerThatReachesNoMasterIsNotReady() {
        masters.call(fake -> fake.down = true);
        PartitionServer server = start("s1");
        assertThat(server.readiness().ready()).isFalse();
        assertThat(server.readiness().missing()).contains("registered");
        masters.call(fake -> fake.down = false);
        await(() -> server.readiness().ready());
    }

    @Test
    void aTakeoverFromAnEmptyLocalStoreFindsEverything() {
        start("s1");
        Row row = served("s1");
        for (int i = 0; i < 600; i++) {
            write("s1", row, WriteKind.INSERT_OR_REPLACE, i % 300, "value " + i);
        }
        await(() -> count("s1") >= 1);
        start("s2");
        Incarnation dead = incarnation("s1");
        masters.call(fake -> {
            fake.taker = "s2";
            fake.declareDead(dead);
            return true;
        });
        Row taken = served("s2");
        assertThat(taken.epoch()).isGreaterThan(row.epoch());
        ScanReply all = scan("s2", taken);
        assertThat(all.getRowsCount()).isEqualTo(300);
        for (int i = 0; i < 300; i++) {
            assertThat(EntityCodec.decode(all.getRows(i).getEntity().toByteArray())
                            .property("V"))
                    .isEqualTo(new Property("V", EdmType.STRING, "value " + (300 + i)));
        }
        assertThat(read("s1", row, 1).getStatus().getCode()).isIn(ErrorCode.NOT_OWNER, ErrorCode.UNAVAILABLE);
    }

    private double count(String id) {
        ServerMetrics counted = metrics.get(id);
        return counted == null ? 0 : counted.publishes.get();
    }

    private Incarnation incarnation(String id) {
        return masters.call(fake -> fake.live.stream()
                .filter(each -> each.server().equals(id))
                .findFirst()
                .orElseThrow());
    }

    private HandoffOrderTarget.Builder target(KeyRange range, String owner) {
        PartitionServer server = servers.get(owner);
        if (server == null) {
            throw new AssertionError("not started: " + owner);
        }
        return HandoffOrderTarget.newBuilder()
                .setStart(range.startToWire())
                .setEnd(range.endToWire())
                .setOwner(incarnation(owner).toWire())
                .setAddress(server.address());
    }

    @Test
    void aSplitAndADropSurviveReopening() {
        start("s1");
        start("s2");
        Row row = served("s1");
        for (int i = 0; i < 200; i++) {
            write("s1", row, WriteKind.INSERT, i, "v" + i);
        }
        Row now = masters.call(fake -> fake.rows.firstEntry().getValue());
        ErrorCode split;
        do { // A publish on its way makes the order stale or the range busy; the master orders again then.
            now = masters.call(fake -> fake.rows.firstEntry().getValue());
            split = ranges("s1")
                    .handoff(HandoffOrder.newBuilder()
                            .setHandoff(1)
                            .addSources(HandoffOrderSource.newBuilder()
                                    .setRoute(route(now))
                                    .setVersion(now.version()))
                            .addTargets(target(new KeyRange(Key.MIN, Key.beforePartition(7, "p100")), "s1"))
                            .addTargets(target(new KeyRange(Key.beforePartition(7, "p100"), null), "s2"))
                            .build())
                    .getStatus()
                    .getCode();
        } while (split == ErrorCode.BUSY || split == ErrorCode.STALE_VERSION);
        assertThat(split).isEqualTo(ErrorCode.OK);
        Row low = masters.call(fake -> fake.rows.firstEntry().getValue());
        Row high = masters.call(fake -> fake.rows.lastEntry().getValue());
        await(() -> scan("s1", low).getRowsCount() == 100);
        await(() -> scan("s2", high).getRowsCount() == 100);

        assertThat(ranges("s2")
                        .drop(DropRequest.newBuilder()
                                .setRoute(route(high))
                                .setTable(7)
                                .build())
                        .getStatus()
                        .getCode())
                .isEqualTo(ErrorCode.OK);
        Incarnation dead = incarnation("s2");
        masters.call(fake -> {
            fake.taker = "s1";
            fake.declareDead(dead);
            return true;
        });
        await(() -> masters.call(fake -> fake.row(high.id()).epoch()) > high.epoch());
        Row taken = masters.call(fake -> fake.row(high.id()));
        await(() -> read("s1", taken, 150).getStatus().getCode() == ErrorCode.TABLE_DROPPED);
        assertThat(read("s1", low, 50).getStatus().getCode()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void theMapIsServedWhileTheMastersAreDown() {
        PartitionServer server = start("s1");
        Row row = served("s1");
        masters.call(fake -> fake.down = true);
        CompletableFuture<MapUpdate> update = new CompletableFuture<>();
        MapWatchGrpc.newStub(channels.to(server.address()))
                .watch(WatchRequest.getDefaultInstance(), new FirstOf<>(update));
        assertThat(update.join().getRowsList())
                .extracting(cleave.wire.RangeRow::getId)
                .contains(row.id());
        assertThat(write("s1", row, WriteKind.INSERT, 1, "one").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
    }

    @Test
    void aRequestThatWentAstrayIsToldWhatTheMapSays() {
        start("s1");
        Row row = served("s1");
        Row wrong = new Row(99 << 12, row.range(), row.owner(), row.manifest(), row.version(), row.epoch());
        await(() -> read("s1", wrong, 1).hasCurrent());
        ReadReply reply = read("s1", wrong, 1);
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(reply.getCurrent().getId()).isEqualTo(row.id());
    }
}
