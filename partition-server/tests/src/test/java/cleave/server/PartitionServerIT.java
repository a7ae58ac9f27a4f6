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
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.ManifestFiles;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
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
        return start(id, Map.of("server.checkpoint-log-bytes", "20KiB"));
    }

    private PartitionServer start(String id, Map<String, String> more) {
        TreeMap<String, String> settings = new TreeMap<>(Map.of(
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
                "8MiB"));
        settings.putAll(more);
        ServerMetrics counted = new ServerMetrics(new CollectorRegistry());
        NetworkLoops network = NetworkLoops.start("test-ranges", 2);
        networks.add(network);
        PartitionServer server = new PartitionServer(
                ServerConfig.from(new Settings(settings)), Transport.PLAIN, network, counted, dfs, faults::add);
        server.metricsAt("127.0.0.1:9");
        server.start();
        servers.put(id, server);
        metrics.put(id, counted);
        return server;
    }

    private static void await(BooleanSupplier condition) {
        Await.until("the condition", condition::getAsBoolean);
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
        await(() -> masters.<Boolean>call(fake -> fake.lastHeartbeat.getCpu() > 0));
        assertThat(masters.<String>call(fake -> fake.lastHeartbeat.getAdmin())).isEqualTo("127.0.0.1:9");
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
        // A publish on its way makes the order stale or the range busy; the master orders again then.
        await(() -> {
            Row now = masters.call(fake -> fake.rows.firstEntry().getValue());
            ErrorCode split = ranges("s1")
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
            assertThat(split).isIn(ErrorCode.OK, ErrorCode.BUSY, ErrorCode.STALE_VERSION);
            return split == ErrorCode.OK;
        });
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

    private static final Map<String, String> SCRUBBED =
            Map.of("server.checkpoint-log-bytes", "200KiB", "server.scrub-rate", "64MiB", "server.scrub-every", "1s");

    /** Writes until there is one checkpoint, and nothing is under way; answers its file of entities. */
    private Manifest.File writeOneCheckpoint(Row row) {
        ServerMetrics counted = Objects.requireNonNull(metrics.get("s1"));
        for (int i = 0; counted.publishes.get() == 0; i++) {
            write("s1", row, WriteKind.INSERT_OR_REPLACE, i % 300, incompressible(i));
        }
        await(() -> counted.unpublishedBytes.get() < 200 << 10);
        for (int i = 0; i < 300; i++) {
            write("s1", row, WriteKind.INSERT_OR_REPLACE, i, "value " + i);
        }
        return largest();
    }

    private static String incompressible(int seed) {
        return new Random(seed)
                .ints(1_000, ' ', '~')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The largest file of the published checkpoint. */
    private Manifest.File largest() {
        String path = masters.call(fake -> fake.onlyRow().manifest());
        Manifest manifest = new ManifestFiles(dfs).read(String.valueOf(path)).join();
        return manifest.checkpoints().get(0).files().stored().stream()
                .max(Comparator.comparingLong(Manifest.File::length))
                .orElseThrow();
    }

    private void assertAllIsRead(String id) {
        ScanReply all = scan(id, served(id));
        assertThat(all.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(all.getRowsCount()).isEqualTo(300);
        for (int i = 0; i < 300; i++) {
            assertThat(EntityCodec.decode(all.getRows(i).getEntity().toByteArray())
                            .property("V"))
                    .isEqualTo(new Property("V", EdmType.STRING, "value " + i));
        }
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 4;
        Files.write(file, bytes, StandardOpenOption.WRITE);
    }

    /** The extent in which the embedded DFS keeps a file, behind a checksum; null while less than this much of it is there. */
    private @Nullable Path extentOf(Manifest.File file, long least) {
        byte[] begin = dfs.read(file.path(), 0, 4 << 10).join().toByteArray();
        try (Stream<Path> extents = Files.list(folder.resolve("dfs/extents"))) {
            for (Path extent : extents.toList()) {
                byte[] bytes = Files.readAllBytes(extent);
                if (bytes.length > least && Arrays.equals(bytes, 4, 4 + begin.length, begin, 0, begin.length)) {
                    return extent;
                }
            }
            return null;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void aBitThatFlipsInTheDfsIsRepairedFromTheStore() throws IOException {
        PartitionServer first = start("s1", SCRUBBED);
        Manifest.File file = writeOneCheckpoint(served("s1"));
        assertThat(file.checksum()).isNotNull();
        await(() -> extentOf(file, 100_000) != null);
        flip(Objects.requireNonNull(extentOf(file, 100_000)), 70_000);

        ServerMetrics counted = Objects.requireNonNull(metrics.get("s1"));
        await(() -> counted.scrubRepaired.get() == 1);
        assertThat(counted.scrubDamaged.labels("dfs").get()).isEqualTo(1);
        assertThat(largest().path()).isNotEqualTo(file.path());
        assertThat(largest().checksum()).as("the same bytes").isEqualTo(file.checksum());
        first.close();
        servers.remove("s1");
        PartitionServer again = start("s1", SCRUBBED);
        assertAllIsRead("s1");
        await(() -> again.readiness().ready());
        assertThat(again.readiness()).isEqualTo(Readiness.READY);
    }

    @Test
    void aBitThatFlipsInAStoreMakesItOpenAgain() throws IOException {
        start("s1", SCRUBBED);
        Manifest.File file = writeOneCheckpoint(served("s1"));
        Path local;
        try (Stream<Path> all = Files.walk(folder.resolve("s1"))) {
            local = all.filter(each -> each.endsWith(Path.of("db", file.localName())))
                    .findFirst()
                    .orElseThrow();
        }
        flip(local, 70_000);

        ServerMetrics counted = Objects.requireNonNull(metrics.get("s1"));
        await(() -> counted.storeFailures.get() == 1);
        assertThat(counted.scrubDamaged.labels("local").get()).isEqualTo(1);
        await(() -> counted.opens.labels("opened").get() == 2);
        assertAllIsRead("s1");
        assertThat(counted.scrubDamaged.labels("dfs").get()).isZero();
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
