package cleave.master.core;

import static cleave.master.core.Figures.cpu;
import static cleave.master.core.Figures.heap;
import static cleave.master.core.Figures.millis;
import static cleave.master.core.Figures.print;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.settings.MasterSelf;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A master, its log and its servers on one virtual clock, and what they cost. */
final class MeasuredCluster {
    final ManualLoop time = new ManualLoop();
    final SharedLog log = new SharedLog();
    final FakeRanges ranges = new FakeRanges(log);
    /** Of what happened since a test put new ones here. */
    Costs costs = new Costs();

    final List<ReportingServer> servers = new ArrayList<>();
    /** Ordered openings that were not obeyed yet. */
    final TreeMap<Long, Incarnation> orders = new TreeMap<>();

    final MasterCore core;
    private final SharedLog.Member replica;
    private int steps;

    MeasuredCluster(MasterState state) {
        replica = log.member("m1");
        MasterSelf self = Bench.self("m1", List.of(), FeatureLevels.SUPPORTED, FeatureLevels.SUPPORTED.max());
        core = Bench.core(time, self, replica, ranges, new FakeMasterCalls(), new FakeFiles(), new CollectorRegistry());
        log.restore(state);
    }

    /** Makes the servers; gives the heap that they take. */
    long joined() {
        long before = heap();
        log.state().servers().values().forEach(server -> servers.add(new ReportingServer(this, server.incarnation())));
        return heap() - before;
    }

    /** Elects the master, and has every server send its first heartbeat. */
    void begin() {
        core.start(Bench.member("m1"));
        replica.lead();
        long led = cpu(() -> time.advanceMillis(1));
        servers.forEach(ReportingServer::beat);
        long first = cpu(() -> time.advanceMillis(100));
        print(
                "a new leader: begins in %s, hears of all ranges in %s (read from the wire in %s, %,d bytes), first tick %s",
                millis(led), millis(costs.heard), millis(costs.parsed), costs.bytes, millis(first));
        assertThat(core.readiness().ready()).isTrue();
    }

    /** A second; returns the processor time of its longest tick. */
    long second() {
        long most = 0;
        for (int i = 0; i < 10; i++) {
            most = Math.max(most, step());
        }
        costs.longest.add(most);
        return most;
    }

    /** The interval of two ticks, in which every other server sends a heartbeat. */
    long step() {
        for (int i = steps++ % 2; i < servers.size(); i += 2) {
            servers.get(i).beat();
        }
        long tick = cpu(() -> time.advanceMillis(100));
        costs.ticks += tick;
        costs.longestTick = Math.max(costs.longestTick, tick);
        return tick;
    }

    /** Carries out what was ordered. */
    void obey() {
        for (Map.Entry<Long, Incarnation> order : List.copyOf(orders.entrySet())) {
            Row row = log.state().rows().row(order.getKey());
            Incarnation taker = order.getValue();
            if (row != null && !log.state().isLive(row.owner())) {
                Handoff takeover = Script.takeover(row, taker, "m/" + row.version());
                costs.commits += cpu(() -> {
                    core.master().execute(takeover);
                    time.runReady();
                });
            }
        }
        orders.clear();
    }

    /** Processor time in nanoseconds. */
    static final class Costs {
        final List<Long> longest = new ArrayList<>();
        long heard;
        long parsed;
        long ticks;
        long longestTick;
        long commits;
        long heartbeats;
        long reports;
        long bytes;

        void print(String per, int count) {
            long balancer = longest.stream().mapToLong(Long::longValue).sum();
            Figures.print(
                    "%s: %,d heartbeats with %,d ranges, %,d bytes: %s in the loop, %s to read them from the wire",
                    per,
                    heartbeats / count,
                    reports / count,
                    bytes / count,
                    millis(heard / count),
                    millis(parsed / count));
            Figures.print(
                    "%s: tick with the balancer %s, at most %s, the nine other ticks %s together",
                    per, millis(balancer / count), millis(longestTick), millis((ticks - balancer) / count));
        }
    }
}
