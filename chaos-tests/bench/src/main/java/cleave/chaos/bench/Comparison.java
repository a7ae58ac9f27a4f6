package cleave.chaos.bench;

import cleave.chaos.bench.Contender.Kind;
import cleave.chaos.load.Workloads;
import cleave.chaos.load.report.Latencies;
import cleave.chaos.load.report.Observer;
import cleave.chaos.load.report.Provenance;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.run.LoadPlan;
import cleave.chaos.load.run.LoadRun;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.process.Consumption;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The same loads on several endpoints, interleaved: in each round each kind of operation runs on each endpoint in turn,
 * so that other work on the machine affects all alike. Confined to its thread.
 */
final class Comparison {
    /** One operation each. All work on the same entities. */
    static final List<Workload> OPERATIONS = Stream.of("get", "insert", "merge", "query", "transaction")
            .map(Workloads::builtIn)
            .toList();

    /** The mixes by which stores are compared. All work on the same entities. */
    static final List<Workload> YCSB = Stream.of("ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f")
            .map(Workloads::builtIn)
            .toList();

    /** Operations per second at which costs are measured: little enough for all. */
    private static final double LOW_RATE = 400;

    private static final Map<String, Double> LOWER_RATES = Map.of("query", 40.0, "transaction", 10.0, "ycsb-e", 40.0);

    /** The figures of a process are read this often before they count: the first readings allocate more than later ones. */
    private static final int READINGS = 5;

    private static final int IDLE_TIMES = 3;

    private final List<Contender> contenders;
    private final List<Workload> workloads;
    private final int connections;
    private final Lengths lengths;
    private final Consumer<String> progress;
    private final Map<String, Map<String, List<Summary>>> measured = new LinkedHashMap<>();
    private final Map<String, Map<String, List<RequestCost.Sample>>> atLowRate = new LinkedHashMap<>();
    private final Map<String, Map<String, List<RequestCost.Sample>>> atFullRate = new LinkedHashMap<>();
    /** The consumption of each contender's roles in a second, by measurement. */
    private final Map<String, List<Map<String, Consumption>>> idle = new LinkedHashMap<>();

    private long runs;

    /**
     * The lengths of the steps. Immutable.
     *
     * @param warmUp load on each contender before the first round; zero for none
     * @param run each measurement
     * @param rest before idle processes are measured, since compilers work on after the last request
     * @param idle each of the last measurements, without requests
     */
    record Lengths(Duration warmUp, Duration run, Duration rest, Duration idle) {
        static Lengths of(int warmUpSeconds, int runSeconds) {
            return new Lengths(
                    Duration.ofSeconds(warmUpSeconds),
                    Duration.ofSeconds(runSeconds),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(5));
        }
    }

    /** What is measured in each round besides. */
    interface Beside {
        void measure() throws IOException, InterruptedException;
    }

    /** @param contenders ratios are to the peers among them, or else to the first */
    Comparison(
            List<Contender> contenders,
            List<Workload> workloads,
            int connections,
            Lengths lengths,
            Consumer<String> progress) {
        this.contenders = List.copyOf(contenders);
        this.workloads = List.copyOf(workloads);
        this.connections = connections;
        this.lengths = lengths;
        this.progress = progress;
    }

    /** Loads the sample, counts it, and warms up. */
    void prepare(String table) throws IOException {
        for (Contender contender : contenders) {
            if (contender.kind().isStore()) {
                fill(contender, table);
            }
            if (!lengths.warmUp().isZero()) {
                warmUp(contender, table);
            }
            if (Consumption.isKnown()) {
                for (int i = 0; i < READINGS; i++) {
                    contender.consumed();
                }
            }
        }
    }

    private void fill(Contender contender, String table) {
        Workload sample = workloads.get(0);
        long items = sample.shape().items();
        progress.accept("loading the sample into " + contender.name());
        try {
            contender.target().fill(table, sample);
            long found = contender.target().count(table);
            if (found != items) {
                throw CommandFailure.failed(
                        contender.name() + " has " + found + " of the " + items + " entities that were loaded into it");
            }
        } catch (IOException failed) {
            throw CommandFailure.failed(contender.name() + " cannot be loaded: " + failed.getMessage());
        }
    }

    /**
     * @param table that was prepared
     * @param beside after each round
     */
    void run(String table, int rounds, Beside beside) throws IOException, InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            List<Contender> order = new ArrayList<>(contenders);
            Collections.rotate(order, round);
            for (Workload workload : workloads) {
                for (Contender contender : order) {
                    if (contender.answers(workload)) {
                        measure(contender, table, workload, "round " + round + " of " + rounds);
                    }
                }
            }
            beside.measure();
        }
        if (Consumption.isKnown()) {
            idle();
        }
    }

    private void warmUp(Contender contender, String table) throws IOException {
        List<Workload> all = workloads.stream().filter(contender::answers).toList();
        for (Workload workload : all) {
            LoadPlan plan = closed(contender, table, workload, lengths.warmUp().dividedBy(all.size()));
            tell("warm-up", contender, workload, run(plan));
        }
    }

    /** Measures what each contender consumes without requests. */
    private void idle() throws InterruptedException {
        progress.accept(
                String.format(Locale.ROOT, "rest for %.1f s", lengths.rest().toMillis() / 1e3));
        Thread.sleep(lengths.rest().toMillis());
        for (int i = 1; i <= IDLE_TIMES; i++) {
            progress.accept(String.format(
                    Locale.ROOT, "idle for %.1f s, %d of %d", lengths.idle().toMillis() / 1e3, i, IDLE_TIMES));
            idleOnce();
        }
    }

    private void idleOnce() throws InterruptedException {
        Map<String, Map<String, Consumption>> before = new LinkedHashMap<>();
        Map<String, Long> began = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            before.put(contender.name(), contender.consumed());
            began.put(contender.name(), System.nanoTime());
        }
        Thread.sleep(lengths.idle().toMillis());
        for (Contender contender : contenders) {
            double seconds = (System.nanoTime() - began.getOrDefault(contender.name(), 0L)) / 1e9;
            Map<String, Consumption> its = contender.consumedSince(before.getOrDefault(contender.name(), Map.of()));
            its.replaceAll((role, consumed) -> consumed.during(1, seconds));
            idle.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(its);
        }
    }

    private LoadPlan closed(Contender contender, String table, Workload workload, Duration length) {
        return LoadPlan.closed(contender.target(), table, workload, connections, length.toMillis() / 1e3, ++runs);
    }

    private static Summary run(LoadPlan plan) throws IOException {
        try (Observer quiet = new Observer(null, line -> {})) {
            return quiet.watch(LoadRun.started(plan, null), plan, Provenance.here(List.of("bench"), plan.seed()));
        }
    }

    private void measure(Contender contender, String table, Workload workload, String round) throws IOException {
        LoadPlan plan = closed(contender, table, workload, lengths.run());
        Summary summary = measured(contender, workload, plan, atFullRate);
        tell(round, contender, workload, summary);
        of(measured, contender, workload).add(summary);
        if (Consumption.isKnown()) {
            double rate = LOWER_RATES.getOrDefault(workload.name(), LOW_RATE);
            LoadPlan slow = closed(contender, table, workload, lengths.run()).at(rate);
            measured(contender, workload, slow, atLowRate);
        }
    }

    private static <T> List<T> of(Map<String, Map<String, List<T>>> all, Contender contender, Workload workload) {
        return all.computeIfAbsent(contender.name(), key -> new LinkedHashMap<>())
                .computeIfAbsent(workload.name(), key -> new ArrayList<>());
    }

    /** Carries a load out, and notes what it cost where that is known. */
    private static Summary measured(
            Contender contender,
            Workload workload,
            LoadPlan plan,
            Map<String, Map<String, List<RequestCost.Sample>>> samples)
            throws IOException {
        if (!Consumption.isKnown()) {
            return run(plan);
        }
        List<Long> self = List.of(ProcessHandle.current().pid());
        Consumption loadBefore = Consumption.of(self);
        Map<String, Consumption> before = contender.consumed();
        Summary summary = run(plan);
        of(samples, contender, workload)
                .add(new RequestCost.Sample(
                        contender.consumedSince(before),
                        Consumption.of(self).minus(loadBefore),
                        summary.seconds(),
                        summary.total().done()));
        return summary;
    }

    private void tell(String when, Contender contender, Workload workload, Summary summary) {
        long failed = summary.total().failed();
        progress.accept(String.format(
                Locale.ROOT,
                "%s, %s, %s: %.0f/s, median %.2f ms, p99 %.2f ms%s",
                when,
                workload.name(),
                contender.name(),
                summary.goodput(),
                millis(summary, 50),
                millis(summary, 99),
                failed == 0
                        ? ""
                        : ", FAILURES " + failed + ", such as "
                                + summary.failures().get(0)));
    }

    private static double millis(Summary summary, double percentile) {
        return Latencies.millis(summary.latency(), percentile);
    }

    /** The median over the rounds. */
    double median(String endpoint, String workload, ToDoubleFunction<Summary> of) {
        List<Summary> runs = measured.getOrDefault(endpoint, Map.of()).getOrDefault(workload, List.of());
        double[] sorted = runs.stream().mapToDouble(of).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** Those to which ratios are: the peers, or else the first. */
    private List<Contender> bases() {
        List<Contender> peers = ofKind(Kind.PEER);
        return peers.isEmpty() ? contenders.subList(0, 1) : peers;
    }

    private List<Contender> ofKind(Kind kind) {
        return contenders.stream().filter(each -> each.kind() == kind).toList();
    }

    /** The table of ratios, in Markdown. */
    String table() {
        List<Contender> bases = bases();
        List<Contender> others =
                contenders.stream().filter(each -> !bases.contains(each)).toList();
        StringBuilder table = new StringBuilder("| operation |");
        contenders.forEach(each -> table.append(' ').append(each.name()).append(" ops/s (median, p99 ms) |"));
        bases.forEach(base -> others.forEach(each -> table.append(' ')
                .append(each.name())
                .append(" / ")
                .append(base.name())
                .append(" |")));
        table.append("\n|---|")
                .append("---|".repeat(contenders.size() + bases.size() * others.size()))
                .append('\n');
        for (Workload workload : workloads) {
            table.append("| ").append(workload.name()).append(" |");
            contenders.forEach(each -> table.append(cell(each.name(), workload)));
            bases.forEach(base -> others.forEach(each -> table.append(' ')
                    .append(figure("%.2f", rate(each, workload) / rate(base, workload)))
                    .append(" |")));
            table.append('\n');
        }
        return table.toString();
    }

    private double rate(Contender contender, Workload workload) {
        return median(contender.name(), workload.name(), Summary::goodput);
    }

    /** A figure that was not measured is a dash. */
    private static String figure(String format, double number) {
        return Double.isNaN(number) ? "–" : String.format(Locale.ROOT, format, number);
    }

    private String cell(String name, Workload workload) {
        List<Summary> runs = measured.getOrDefault(name, Map.of()).getOrDefault(workload.name(), List.of());
        if (runs.isEmpty()) {
            return " – |";
        }
        long failures = runs.stream().mapToLong(each -> each.total().failed()).sum();
        return String.format(
                Locale.ROOT,
                " %,.0f (%.2f, %.2f)%s |",
                median(name, workload.name(), Summary::goodput),
                median(name, workload.name(), each -> millis(each, 50)),
                median(name, workload.name(), each -> millis(each, 99)),
                failures == 0 ? "" : " " + failures + " failures");
    }

    /** The cost of a request, in Markdown; says so if this machine does not show it. */
    String costs() {
        if (!Consumption.isKnown()) {
            return "This machine keeps no accounts of processor time in /proc, so what a request costs is not known.\n";
        }
        List<Contender> bases = costBases();
        StringBuilder table = new StringBuilder("| operation | endpoint | CPU µs a request |");
        bases.forEach(base -> table.append(" / ").append(base.name()).append(" |"));
        table.append(" of which system | context switches | load generator µs | by role, µs | KiB allocated a request |"
                        + " by role, KiB |\n|---|---|---|---|---|---|---|---|---|")
                .append("---|".repeat(bases.size()))
                .append('\n');
        costs(table, bases, " at %.0f/s", this::cost);
        costs(table, bases, " at full rate, %,.0f/s", this::costAtFullRate);
        table.append("""

                Context switches are those of threads that still run.

                | idle | CPU ms a second | context switches a second | KiB allocated a second |
                |---|---|---|---|
                """);
        idle.forEach((name, times) -> {
            Consumption all = Consumption.sum(RequestCost.middle(times).values());
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %,d | %s |%n",
                    name,
                    all.processor() * 1e3,
                    all.contextSwitches(),
                    figure("%,.0f", all.allocated() / RequestCost.KIB)));
        });
        return table.toString();
    }

    private void costs(
            StringBuilder table,
            List<Contender> bases,
            String rate,
            BiFunction<Contender, Workload, RequestCost> costs) {
        for (Workload workload : workloads) {
            for (Contender contender : contenders) {
                if (!contender.answers(workload)) {
                    continue;
                }
                RequestCost cost = costs.apply(contender, workload);
                table.append("| ")
                        .append(workload.name())
                        .append(String.format(Locale.ROOT, rate, cost.rate()))
                        .append(String.format(
                                Locale.ROOT,
                                " | %s | %,.0f |",
                                contender.name(),
                                cost.total().micros()));
                for (Contender base : bases) {
                    double ratio = base.equals(contender) || !base.answers(workload)
                            ? Double.NaN
                            : cost.total().micros()
                                    / costs.apply(base, workload).total().micros();
                    table.append(' ').append(figure("%.2f", ratio)).append(" |");
                }
                table.append(rest(contender, cost));
            }
        }
    }

    private static String rest(Contender contender, RequestCost cost) {
        boolean hasRoles = contender.roles().size() > 1;
        return String.format(
                Locale.ROOT,
                " %,.0f | %.1f | %,.0f | %s | %s | %s |%n",
                cost.total().systemMicros(),
                cost.total().contextSwitches(),
                cost.load().micros(),
                hasRoles ? cost.microsByRole() : "",
                figure("%,.1f", cost.total().allocated() / RequestCost.KIB),
                hasRoles ? cost.allocatedByRole() : "");
    }

    /** Those to which ratios of costs are: the empty chain, where it runs. */
    private List<Contender> costBases() {
        List<Contender> chains = ofKind(Kind.EMPTY_CHAIN);
        return chains.isEmpty() ? bases() : chains;
    }

    RequestCost cost(Contender contender, Workload workload) {
        return cost(atLowRate, contender, workload);
    }

    private RequestCost costAtFullRate(Contender contender, Workload workload) {
        return cost(atFullRate, contender, workload);
    }

    private RequestCost cost(
            Map<String, Map<String, List<RequestCost.Sample>>> samples, Contender contender, Workload workload) {
        Map<String, Consumption> itsIdle = RequestCost.middle(idle.getOrDefault(contender.name(), List.of(Map.of())));
        return RequestCost.median(of(samples, contender, workload).stream()
                .map(sample -> RequestCost.of(sample, itsIdle))
                .toList());
    }
}
