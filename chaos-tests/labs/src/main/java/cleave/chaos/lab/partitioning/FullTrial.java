package cleave.chaos.lab.partitioning;

import cleave.chaos.fault.RecordingClients;
import cleave.chaos.fault.StableRows;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.FullForm;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.load.run.Pace;
import cleave.chaos.load.run.Tally;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.wire.RangeState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * A lab in its full form: tables, paced loads on them, and a watch of all ranges. Confined to its thread. The balancer is off while tables are
 * filled, so that it reacts to the loads alone.
 */
final class FullTrial implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(300);
    private static final Duration JUST_AFTER = Duration.ofMillis(1);
    /** Anything less is not a load. */
    private static final double QUIET = 100;
    /** A load is kept up if at least this share of it was answered. */
    private static final double KEPT_UP = 0.95;

    private static final double WARM_UP = 0.1;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final int CLIENTS = 16;
    private static final int LOAD_HEIGHT = 184;
    private static final int RANGES_HEIGHT = 92;

    private final LabRun run;
    private final FullForm form;
    private final List<String> servers;
    private final List<SteadyLoad> loads = new ArrayList<>();
    /** Requests that were answered before a load began in earnest. */
    private final Map<SteadyLoad, Long> warmUps = new HashMap<>();

    private RangeWatch watch;

    /** The course of one lab. */
    interface Course {
        void run(FullTrial trial) throws IOException;
    }

    private FullTrial(LabRun run, FullForm form) throws IOException {
        this.run = run;
        this.form = form;
        this.servers = IntStream.rangeClosed(1, run.cluster().servers().size())
                .mapToObj(server -> "server-" + server)
                .toList();
        run.changeSettings(Ranges.REST);
        this.watch = RangeWatch.ofAll(run, Duration.ZERO);
    }

    static Experiment of(FullForm form, Course course) {
        return run -> {
            try (FullTrial trial = new FullTrial(run, form)) {
                course.run(trial);
            }
        };
    }

    LabRun run() {
        return run;
    }

    FullForm form() {
        return form;
    }

    /** Creates tables and fills them, the balancer being off; returns their names. */
    List<String> fill(List<String> prefixes) throws IOException {
        List<String> tables = new ArrayList<>();
        try (LabClient client = LabClient.open(run.endpoint())) {
            for (String prefix : prefixes) {
                run.progress("filling " + prefix);
                String table = client.createTable(run, prefix);
                tables.add(table);
                for (int partition = 0; partition < Demand.PARTITIONS; partition++) {
                    client.load(table, entities(RecordingClients.partitionKey(partition)));
                }
                if (form.rangeBytes() > 0) {
                    StableRows.ofBytes(table, Demand.PARTITIONS, form.rangeBytes())
                            .load(run.endpoint(), run::progress);
                }
            }
        }
        PATIENCE.until("the load of filling has stopped", this::isQuiet);
        return tables;
    }

    private static List<LabEntity> entities(String partitionKey) {
        return IntStream.range(0, Demand.ENTITIES)
                .mapToObj(row -> LabEntity.of(partitionKey, Demand.row(row)).with("Text", Demand.TEXT))
                .toList();
    }

    private boolean isQuiet() {
        return run.admin().status().getStatesList().stream()
                        .mapToDouble(RangeState::getEntitiesPerSecond)
                        .sum()
                < QUIET;
    }

    /** Makes each of these tables begin a range. */
    void splitBefore(List<String> tables) {
        for (String table : tables) {
            run.cluster().split(Endpoint.DEVELOPMENT_ACCOUNT, table, List.of(RecordingClients.partitionKey(0)));
        }
    }

    /** Switches the balancer on, and begins to watch; second 0 is that many seconds from now. */
    RangeWatch begin(double leadSeconds) throws IOException {
        run.changeSettings(Map.of("balancer.split", "true", "balancer.merge", "true", "balancer.move", "true"));
        run.changeSettings(form.settings());
        watch.close();
        watch = RangeWatch.ofAll(run, Duration.ofMillis((long) (leadSeconds * MILLIS_PER_SECOND)));
        return watch;
    }

    /** Starts a load that goes on until the end, at random times, however long the answers take; nothing is repeated. */
    SteadyLoad load(Demand demand, double entitiesPerSecond, long seed) {
        Pace pace = Pace.steady(entitiesPerSecond / Demand.ENTITIES, new Random(seed));
        SteadyLoad load = SteadyLoad.started(List.of(run.endpoint()), CLIENTS, pace, demand::next, seed);
        loads.add(load);
        return load;
    }

    /** Sets the rate from now on; what was answered before does not count. */
    void begin(SteadyLoad load, double entitiesPerSecond) {
        warmUps.put(load, load.answered());
        load.rate(entitiesPerSecond / Demand.ENTITIES);
    }

    /** Begins to watch, and starts a load: a tenth of it until second 0, when this returns, and then all of it. */
    SteadyLoad warmLoad(Demand demand, double entitiesPerSecond) throws IOException {
        begin(form.warmSeconds());
        SteadyLoad load = load(demand, WARM_UP * entitiesPerSecond, form.seed());
        until(0);
        begin(load, entitiesPerSecond);
        return load;
    }

    RangeWatch watch() {
        return watch;
    }

    /** Watches until this second. */
    void until(double second) throws IOException {
        watch.watch(Duration.ofMillis(Math.max(0, (long) ((second - watch.now()) * MILLIS_PER_SECOND)))
                .plus(JUST_AFTER));
    }

    List<String> servers() {
        return servers;
    }

    /** Claims that a load was answered as fast as it was sent. */
    void claimKeptUp(String what, SteadyLoad load, double seconds, double entitiesPerSecond) {
        double seen = (load.answered() - warmUps.getOrDefault(load, 0L)) * Demand.ENTITIES / seconds;
        run.claim(
                String.format(Locale.ROOT, "%s is kept up, %,.0f entities/s", what, entitiesPerSecond),
                seen >= KEPT_UP * entitiesPerSecond,
                String.format(Locale.ROOT, "%,.0f entities/s", seen));
    }

    /** Reports events, as the leader told them. */
    void say(List<Happening> events) {
        events.forEach(event -> run.say(event.toString()));
    }

    /** Ends the loads, draws what was seen, and claims that no client saw an error. */
    void end(String title, double loadEnded) {
        loads.forEach(SteadyLoad::end);
        Histogram latencies = new Histogram(Tally.DIGITS);
        loads.forEach(load -> latencies.add(load.latencies()));
        long failures =
                loads.stream().mapToLong(load -> load.refused() + load.failed()).sum();
        run.claim(
                "no request fails",
                failures == 0,
                String.format(Locale.ROOT, "%,d of %,d failed", failures, latencies.getTotalCount() + failures));
        loads.stream().flatMap(load -> load.errors().stream()).forEach(error -> run.say("ERROR: " + error));
        run.say(String.format(
                Locale.ROOT,
                "Clients waited %.1f ms at the median, %.1f ms at the 99th percentile, %.0f ms at most.",
                latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
                latencies.getValueAtPercentile(99) / NANOS_PER_MILLI,
                latencies.getMaxValue() / NANOS_PER_MILLI));
        if (watch.silences() > 0) {
            run.say(
                    watch.silences()
                            + " times a server was declared dead because it was silent for too long: this machine is too busy, and the figures are void.");
        }
        run.draw(chart(title, loadEnded));
    }

    private Chart chart(String title, double loadEnded) {
        List<Series> ranges = servers.stream()
                .map(server -> watch.series(server, moment -> moment.rangesOf(server)))
                .toList();
        List<Mark> marks = new ArrayList<>(watch.symbols());
        marks.add(new Mark(0, ""));
        marks.add(new Mark(loadEnded, "the load ends"));
        return Chart.of(
                        title,
                        "seconds since the load began",
                        List.of(
                                new Plot(Kind.LINES, "entities/s", LOAD_HEIGHT, watch.loads(servers), false),
                                new Plot(Kind.AREAS, "ranges", RANGES_HEIGHT, ranges, false)))
                .marked(marks);
    }

    @Override
    public void close() throws IOException {
        try {
            loads.forEach(SteadyLoad::end);
        } finally {
            watch.close();
        }
    }
}
