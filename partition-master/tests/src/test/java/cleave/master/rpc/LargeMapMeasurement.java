package cleave.master.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.master.state.LargeMap;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterState;
import cleave.master.state.SnapshotCodec;
import cleave.model.FeatureLevels;
import cleave.model.KnownMasters;
import cleave.model.MapAssembly;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The costs of a map of many ranges. No test; run by name, prints its figures: {@code -Dtest=LargeMapMeasurement}. */
class LargeMapMeasurement {
    private static final int RANGES = 200_000;
    private static final int WATCHERS = 50;
    private static final int ROUNDS = 5;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The measured objects stay alive until the heap is looked at. */
    private final List<Object> kept = new ArrayList<>();

    @Test
    void figures() throws Exception {
        byte[] snapshot = SnapshotCodec.encode(LargeMap.state(RANGES));
        System.out.printf("snapshot: %,d bytes%n", snapshot.length);
        MasterState state = measured(
                "state of the master, from a snapshot", () -> SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED));
        measured("snapshot written to memory", () -> SnapshotCodec.encode(state).length);
        PartitionMap map =
                measured("map of a watcher, from pieces", () -> assembled(MapChanges.whole(state, KnownMasters.NONE)));
        measured(
                "view of the master, of the same rows",
                () -> PartitionMap.EMPTY.with(MapChanges.whole(state, KnownMasters.NONE)));
        long bytes = 0;
        int pieces = 0;
        int largest = 0;
        for (MapChange change = MapChanges.whole(state, KnownMasters.NONE); change.hasNext(); pieces++) {
            int size = change.next().getSerializedSize();
            bytes += size;
            largest = Math.max(largest, size);
        }
        System.out.printf("whole map: %,d bytes in %d pieces, the largest %,d%n", bytes, pieces, largest);
        assertThat(map.rows()).hasSize(RANGES);
        watchers(state);
    }

    private static PartitionMap assembled(MapChange change) {
        MapAssembly assembly = new MapAssembly();
        PartitionMap map = PartitionMap.EMPTY;
        while (change.hasNext()) {
            MapUpdate piece = change.next();
            map = assembly.add(map, piece);
        }
        return map;
    }

    /** Processor time of the last of some rounds, and the heap that the result holds. */
    private <T> T measured(String what, Supplier<T> work) {
        for (int i = 1; i < ROUNDS; i++) {
            kept.add(work.get());
            kept.clear();
        }
        long before = heap();
        long began = THREADS.getCurrentThreadCpuTime();
        T result = work.get();
        long nanos = THREADS.getCurrentThreadCpuTime() - began;
        kept.add(result);
        System.out.printf("%s: %,d ms of processor time, %,d MiB held%n", what, nanos / 1_000_000, heap() - before);
        return result;
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
    }

    /** Watchers over TCP in one process; they count rows and hold none. */
    private void watchers(MasterState state) throws Exception {
        ThreadLoop loop = new ThreadLoop("feed", Throwable::printStackTrace);
        MapFeed feed = new MapFeed(
                loop, new MasterMetrics(new CollectorRegistry()), () -> new KnownMasters("m1", 1, List.of("m1")));
        feed.changed(state);
        try (RpcServer server = RpcServer.start("127.0.0.1:0", new WatchService(feed));
                Channels channels = new Channels()) {
            for (int round = 1; round <= 2; round++) {
                long heapBefore = heap();
                long feedBefore = cpu("feed");
                long allBefore = processCpu();
                long began = System.nanoTime();
                List<LargeMapIT.Reader> readers = new ArrayList<>();
                for (int i = 0; i < WATCHERS; i++) {
                    LargeMapIT.Reader reader = new LargeMapIT.Reader(Integer.MAX_VALUE);
                    readers.add(reader);
                    MapWatchGrpc.newStub(channels.to(server.address())).watch(LargeMapIT.Reader.REQUEST, reader);
                }
                long most = 0;
                while (!readers.stream().allMatch(reader -> reader.whole.isDone())) {
                    TimeUnit.MILLISECONDS.sleep(200);
                    most = Math.max(most, heap());
                }
                long bytes = 0;
                for (LargeMapIT.Reader reader : readers) {
                    assertThat(reader.whole.get()).isEqualTo(RANGES);
                    bytes += reader.bytes;
                }
                System.out.printf(
                        "round %d, %d watchers: %,d bytes, %,d ms, of processor time %,d ms of the feed and %,d ms of"
                                + " both ends, live heap %,d MiB more at most%n",
                        round,
                        WATCHERS,
                        bytes,
                        (System.nanoTime() - began) / 1_000_000,
                        cpu("feed") - feedBefore,
                        processCpu() - allBefore,
                        most - heapBefore);
            }
        } finally {
            loop.close();
        }
    }

    private static long cpu(String thread) {
        for (var info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (info != null && info.getThreadName().equals(thread)) {
                return THREADS.getThreadCpuTime(info.getThreadId()) / 1_000_000;
            }
        }
        return 0;
    }

    private static long processCpu() {
        return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                        .getProcessCpuTime()
                / 1_000_000;
    }
}
