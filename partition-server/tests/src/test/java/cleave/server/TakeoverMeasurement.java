package cleave.server;

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
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import cleave.wire.ErrorCode;
import cleave.wire.RangesGrpc;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import com.sun.management.OperatingSystemMXBean;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What it costs a server to take the ranges of a dead one over: two servers with RocksDB on one embedded DFS, in one process, and masters in
 * memory. No test; run by name, prints its figures (docs/scaling.md).
 */
class TakeoverMeasurement {
    private static final int RANGES = Integer.getInteger("takeover.ranges", 200);
    private static final int KIB = Integer.getInteger("takeover.kib", 64);
    private static final int TIMES = Integer.getInteger("takeover.times", 3);
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    @TempDir
    private Path folder;

    private final CollectorRegistry ofDfs = new CollectorRegistry();
    private final Channels channels = new Channels();
    private final List<AutoCloseable> open = new ArrayList<>();

    @Test
    void figures() throws Exception {
        Dfs dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(ofDfs));
        ClusterFile.found(dfs, new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1"))
                .join();
        try (GrpcFakeMasters masters = new GrpcFakeMasters()) {
            masters.call(TakeoverMeasurement::cut);
            Started owner = start("s0", masters, dfs);
            opened(owner);
            fill(owner, masters);
            for (int i = 1; i <= TIMES; i++) {
                Started taker = start("s" + i, masters, dfs);
                Incarnation dead = incarnation(masters, owner.id());
                owner.server().close();
                takeover(taker, masters, dead);
                owner = taker;
            }
            owner.server().close();
        }
        channels.close();
        for (AutoCloseable each : open) {
            each.close();
        }
        dfs.close();
    }

    private record Started(String id, PartitionServer server, ServerMetrics metrics) {}

    private Started start(String id, GrpcFakeMasters masters, Dfs dfs) {
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        NetworkLoops network = NetworkLoops.start("ranges-of-" + id, 2);
        open.add(network);
        Settings settings = new Settings(new TreeMap<>(
                Map.of("server.id", id, "server.dir", folder.resolve(id).toString(), "masters", masters.address())));
        PartitionServer server = new PartitionServer(
                ServerConfig.from(settings), Transport.PLAIN, network, metrics, dfs, Throwable::printStackTrace);
        server.start();
        Await.until(
                "registered",
                () -> masters.<Boolean>call(fake ->
                        fake.live.stream().anyMatch(each -> each.server().equals(id))));
        return new Started(id, server, metrics);
    }

    /** As many ranges as wanted, of which none was served yet. */
    private static boolean cut(FakeMasters fake) {
        fake.rows.clear();
        fake.taker = "s0";
        Key start = Key.MIN;
        for (int i = 0; i < RANGES; i++) {
            Key end = i + 1 < RANGES ? Key.beforePartition(7, name(i + 1)) : null;
            long id = Row.id(1, i);
            fake.rows.put(id, new Row(id, new KeyRange(start, end), null, null, 1, 1));
            start = end == null ? start : end;
        }
        return true;
    }

    private static String name(int range) {
        return String.format(Locale.ROOT, "p%05d", range);
    }

    private static Incarnation incarnation(GrpcFakeMasters masters, String id) {
        return masters.call(fake -> fake.live.stream()
                .filter(each -> each.server().equals(id))
                .findFirst()
                .orElseThrow());
    }

    private static void opened(Started server) {
        Await.until(
                "all ranges are open",
                () -> server.metrics().opens.labels("opened").get() >= RANGES);
    }

    /** Entities of 1 KiB. */
    private void fill(Started owner, GrpcFakeMasters masters) {
        RangesGrpc.RangesBlockingStub ranges =
                RangesGrpc.newBlockingStub(channels.to(owner.server().address()));
        ByteString entity = ByteString.copyFrom(EntityCodec.encode(
                new Entity(0, List.of(new Property("V", EdmType.STRING, "x".repeat(1_000))))));
        List<Row> rows = masters.call(fake -> List.copyOf(fake.rows.values()));
        for (int i = 0; i < RANGES; i++) {
            WriteRequest.Builder write = WriteRequest.newBuilder()
                    .setRoute(Route.newBuilder()
                            .setRange(rows.get(i).id())
                            .setEpoch(rows.get(i).epoch()));
            for (int k = 0; k < KIB; k++) {
                write.addOperations(WriteOperation.newBuilder()
                        .setKind(WriteKind.INSERT_OR_REPLACE)
                        .setKey(Key.of(7, name(i), "r" + k).toWire())
                        .setEntity(entity));
            }
            ErrorCode code = ranges.write(write.build()).getStatus().getCode();
            if (code != ErrorCode.OK) {
                throw new AssertionError(code);
            }
        }
    }

    private void takeover(Started taker, GrpcFakeMasters masters, Incarnation dead) {
        Map<String, Double> before = counts();
        long cpu = SYSTEM.getProcessCpuTime();
        long began = System.nanoTime();
        masters.call(fake -> {
            fake.taker = taker.id();
            fake.declareDead(dead);
            return true;
        });
        TreeMap<Integer, Long> after = new TreeMap<>(Collections.reverseOrder());
        Await.until("all ranges are taken over", () -> {
            after.putIfAbsent((int) taker.metrics().opens.labels("opened").get(), System.nanoTime() - began);
            return after.firstKey() >= RANGES;
        });
        System.out.printf(
                Locale.ROOT,
                "%d ranges with %d KiB of log each: all after %.2f s, ten after %.2f s; %.2f s of processor time%n",
                RANGES,
                KIB,
                after.firstEntry().getValue() / 1e9,
                after.entrySet().stream()
                                .filter(each -> each.getKey() >= 10)
                                .mapToLong(Map.Entry::getValue)
                                .min()
                                .orElse(0)
                        / 1e9,
                (SYSTEM.getProcessCpuTime() - cpu) / 1e9);
        counts().forEach((name, count) -> {
            double more = count - before.getOrDefault(name, 0.0);
            if (more > 0) {
                System.out.printf(Locale.ROOT, "  %s %.0f%n", name, more);
            }
        });
    }

    /** What the DFS has counted. */
    private Map<String, Double> counts() {
        TreeMap<String, Double> counts = new TreeMap<>();
        for (Collector.MetricFamilySamples family : Collections.list(ofDfs.metricFamilySamples())) {
            for (Collector.MetricFamilySamples.Sample sample : family.samples) {
                if (sample.name.endsWith("_total") || sample.name.endsWith("_count")) {
                    counts.put(sample.name + sample.labelValues, sample.value);
                }
            }
        }
        return counts;
    }
}
