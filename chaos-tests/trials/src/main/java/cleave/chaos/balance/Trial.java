package cleave.chaos.balance;

import cleave.chaos.fault.StableRows;
import cleave.chaos.fault.Workload;
import cleave.chaos.load.Ask;
import cleave.chaos.load.Figures;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.wire.RangeState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * A cluster with tables, loads on them, and a watch that records them. Confined to its owner. The balancer is off while
 * tables are filled, so that it reacts to the loads alone.
 */
final class Trial implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(300);
    private static final Duration REQUEST = Duration.ofSeconds(60);
    /** Anything less is not a load. */
    private static final double QUIET = 100;
    /** A load is kept up if at least this share of it was answered. */
    private static final double KEPT_UP = 0.95;

    private static final double WARM_UP = 0.1;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Cluster cluster;
    private final Consumer<String> progress;
    private final List<PacedLoad> loads = new ArrayList<>();
    private Watch watch;

    private Trial(ClusterPlan plan, Consumer<String> progress) {
        this.progress = progress;
        progress.accept("starting " + plan.folder());
        this.cluster = Cluster.started(plan, PATIENCE);
        this.watch = watch(Duration.ZERO);
    }

    static ClusterPlan plan(Path folder) {
        return ClusterPlan.in(folder).masters(3).servers(3);
    }

    /** An empty cluster. */
    static Trial started(ClusterPlan plan, Consumer<String> progress) {
        return new Trial(plan, progress);
    }

    /** Creates tables and fills them; then, with these settings, the balancer is on. */
    void fill(List<String> tables, long bytesOfEach, Map<String, String> settings) throws IOException {
        settings(switches("false"));
        Endpoint endpoint = cluster.endpoints().get(0);
        for (String table : tables) {
            progress.accept("filling " + table);
            try (Connection connection = Connection.open(endpoint, REQUEST)) {
                create(connection, new Requests(endpoint), table);
            }
            if (bytesOfEach > 0) {
                StableRows.ofBytes(table, Demand.PARTITIONS, bytesOfEach).load(endpoint, progress);
            }
        }
        PATIENCE.until("the load has stopped", this::isQuiet);
        Map<String, String> changes = new TreeMap<>(switches("true"));
        changes.putAll(settings);
        settings(changes);
    }

    private static void create(Connection connection, Requests requests, String table) throws IOException {
        need(connection.exchange(requests.createTable(table)), 204);
        for (int partition = 0; partition < Demand.PARTITIONS; partition++) {
            Ask ask = Demand.upserts(requests, table, Workload.partitionKey(partition));
            need(connection.exchange(ask.request()), 202);
        }
    }

    private static void need(Answer answer, int status) throws IOException {
        if (answer.status() != status) {
            throw new IOException("the tables cannot be filled: " + answer);
        }
    }

    private boolean isQuiet() {
        return cluster.admin().status().getStatesList().stream()
                        .mapToDouble(RangeState::getEntitiesPerSecond)
                        .sum()
                < QUIET;
    }

    private static Map<String, String> switches(String value) {
        return Map.of("balancer.split", value, "balancer.merge", value, "balancer.move", value);
    }

    /** Changes settings of the balancer. */
    void settings(Map<String, String> changes) {
        cluster.admin().change(changes);
    }

    /** Makes each of these tables begin a range. */
    void splitBefore(List<String> tables) {
        for (String table : tables) {
            cluster.split(Endpoint.DEVELOPMENT_ACCOUNT, table, List.of(Workload.partitionKey(0)));
        }
    }

    /** A watch whose second 0 is this number of seconds from now, when the loads begin. */
    Watch watch(double leadSeconds) {
        watch = watch(Duration.ofMillis((long) (leadSeconds * MILLIS_PER_SECOND)));
        return watch;
    }

    private Watch watch(Duration lead) {
        List<String> servers = IntStream.rangeClosed(1, cluster.servers().size())
                .mapToObj(server -> "server-" + server)
                .toList();
        return new Watch(cluster.admin(), servers, lead, progress);
    }

    /** A load that goes on until the end. */
    PacedLoad load(Demand demand, double entitiesPerSecond, long seed) {
        PacedLoad load = PacedLoad.started(cluster.endpoints(), demand, entitiesPerSecond, seed);
        loads.add(load);
        return load;
    }

    /** Starts a load: first a tenth of it, then at second 0 of the watch, when this returns, all of it. */
    PacedLoad load(Demand demand, LoadShape shape) {
        PacedLoad load = load(demand, WARM_UP * shape.entities(), shape.seed());
        watch.until(0);
        load.begin(shape.entities());
        return load;
    }

    /** Whether a load was answered as fast as it was sent. */
    static Goal keptUp(String what, long entities, double seconds, double entitiesPerSecond) {
        double seen = entities / seconds;
        return new Goal(
                String.format(Locale.ROOT, "%s is kept up, %,.0f entities/s", what, entitiesPerSecond),
                seen >= KEPT_UP * entitiesPerSecond,
                String.format(Locale.ROOT, "%,.0f entities/s", seen));
    }

    /** Ends the loads and reports on these goals, and on whether any client saw an error. */
    Report end(String title, double loadEnded, List<Goal> goals, List<String> notes) {
        loads.forEach(PacedLoad::stop);
        Histogram latencies = new Histogram(Figures.DIGITS);
        loads.forEach(load -> latencies.add(load.latencies()));
        long failures = loads.stream().mapToLong(PacedLoad::failures).sum();
        List<Goal> all = new ArrayList<>(goals);
        all.add(new Goal(
                "no request fails",
                failures == 0,
                String.format(Locale.ROOT, "%,d of %,d failed", failures, latencies.getTotalCount() + failures)));
        List<String> more = new ArrayList<>(notes);
        more.add(String.format(
                Locale.ROOT,
                "clients waited %.1f ms at the median, %.1f ms at the 99th percentile, %.0f ms at most",
                latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
                latencies.getValueAtPercentile(99) / NANOS_PER_MILLI,
                latencies.getMaxValue() / NANOS_PER_MILLI));
        long dead = watch.events().stream()
                .filter(event ->
                        event.is(LeaderEvent.DEAD) && event.event().getReason().equals(LeaderEvent.SILENT))
                .count();
        if (dead > 0) {
            more.add(dead
                    + " times a server was declared dead because it was silent for too long: this machine is too busy");
        }
        List<String> errors =
                loads.stream().flatMap(load -> load.errors().stream()).toList();
        return new Report(title, loadEnded, all, more, errors, watch.moments(), watch.events());
    }

    @Override
    public void close() {
        try {
            loads.forEach(PacedLoad::stop);
        } finally {
            cluster.close();
        }
    }
}
