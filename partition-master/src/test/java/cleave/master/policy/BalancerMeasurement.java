package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a tick of the balancer costs. No test; run by name, prints its figures: {@code -Dtest=BalancerMeasurement}. */
class BalancerMeasurement {
    private static final int RANGES = 10_000;
    private static final int SERVERS = 20;
    private static final int WARM_TICKS = 300;
    private static final int TICKS = 300;
    private static final long SECOND = 1_000_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Random random = new Random(1);
    private final List<Row> rows = new ArrayList<>();
    private final TreeMap<Incarnation, ClusterView.Server> servers = new TreeMap<>();

    @Test
    void figures() {
        BalancerMemory memory = BalancerMemory.NONE;
        map();
        long now = SECOND;
        long[] nanos = new long[TICKS];
        for (int tick = -WARM_TICKS; tick < TICKS; tick++) {
            ClusterView view =
                    new ClusterView(rows, loads(), servers, new TreeSet<>(), List.of(), BalancerSettings.DEFAULT, 0);
            now += SECOND;
            long began = THREADS.getCurrentThreadCpuTime();
            memory = Balancer.decide(view, memory, now).memory();
            if (tick >= 0) {
                nanos[tick] = THREADS.getCurrentThreadCpuTime() - began;
            }
        }
        Arrays.sort(nanos);
        System.out.printf(
                "balancer over %,d ranges: %.2f ms of processor time at the median, %.2f ms at most%n",
                RANGES, nanos[TICKS / 2] / 1e6, nanos[TICKS - 1] / 1e6);
        assertThat(memory.size()).isEqualTo(RANGES);
    }

    private void map() {
        for (int i = 1; i <= SERVERS; i++) {
            servers.put(new Incarnation("s" + i, i), new ClusterView.Server(false, false, 0));
        }
        List<Incarnation> owners = List.copyOf(servers.keySet());
        Key start = Key.MIN;
        for (int i = 0; i < RANGES; i++) {
            Key end = i == RANGES - 1 ? null : Key.beforePartition(7, String.format("p%06d", i));
            rows.add(new Row(
                    Row.id(1 + i / 1_000, i % 1_000), new KeyRange(start, end), owners.get(i % SERVERS), "m", 1, 1));
            start = end == null ? start : end;
        }
    }

    private SortedMap<Long, Load> loads() {
        TreeMap<Long, Load> loads = new TreeMap<>();
        for (Row row : rows) {
            double rate = 300 + 20 * random.nextDouble();
            loads.put(row.id(), new Load(rate, 310, 100_000_000, null, List.of(), null, null));
        }
        return loads;
    }
}
