package cleave.master.rpc;

import static cleave.master.core.Figures.heap;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.master.state.LargeMap;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterState;
import cleave.model.KnownMasters;
import cleave.model.MapAssembly;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.MapWatchGrpc;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The costs of a map of many ranges. No test; run by name, prints its figures: {@code -Dtest=LargeMapMeasurement}. */
class LargeMapMeasurement {
    private static final int RANGES = 200_000;
    private static final int WATCHERS = 50;
    private static final int ROUNDS = 5;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Test
    void figures() throws Exception {
        MasterState state = LargeMap.state(RANGES);
        PartitionMap map = assembled(state);
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

    /** The map of a watcher, from the pieces: processor time and the heap that it holds, in some rounds. */
    private static PartitionMap assembled(MasterState state) {
        PartitionMap map = PartitionMap.EMPTY;
        for (int i = 1; i <= ROUNDS; i++) {
            map = PartitionMap.EMPTY;
            long before = heap();
            long began = THREADS.getCurrentThreadCpuTime();
            MapAssembly assembly = new MapAssembly();
            for (MapChange change = MapChanges.whole(state, KnownMasters.NONE); change.hasNext(); ) {
                map = assembly.add(map, change.next());
            }
            long millis = (THREADS.getCurrentThreadCpuTime() - began) / 1_000_000;
            System.out.printf("map of a watcher: %,d ms of processor time, %,d MiB held%n", millis, heap() - before);
        }
        return map;
    }

    /** Watchers over TCP in one process; they count rows and hold none. */
    private static void watchers(MasterState state) throws Exception {
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
