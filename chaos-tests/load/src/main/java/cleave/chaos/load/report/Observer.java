package cleave.chaos.load.report;

import cleave.chaos.load.run.LoadPlan;
import cleave.chaos.load.run.LoadRun;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Tally;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;

/** Watches a run until its end: reports progress once a second, writes the histogram log, and sums up. Confined to its caller. */
public final class Observer implements AutoCloseable {
    private static final Duration LOOK_MAX = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final double MILLIS_PER_SECOND = 1e3;
    /** Less than this is too short for a rate: it belongs to the next second. */
    private static final double SHORTEST_SECONDS = 0.25;

    private static final String FAILED = "failed";

    private final Consumer<String> progress;
    private final @Nullable PrintStream log;
    private final @Nullable HistogramLogWriter writer;
    private final Map<Action, Histogram> latencies = new EnumMap<>(Action.class);
    private final Histogram service = new Histogram(Tally.DIGITS);
    private final Histogram failedLatency = new Histogram(Tally.DIGITS);
    private final List<Second> series = new ArrayList<>();
    private final @Nullable LoadMetrics metrics;
    private final Map<Action, Count> before = new EnumMap<>(Action.class);
    private double last;

    /**
     * Begins now.
     *
     * @param file of interval histograms, one for each second and action; null: none
     * @throws IOException if the file cannot be written
     */
    public Observer(@Nullable Path file, Consumer<String> progress) throws IOException {
        this(file, progress, null);
    }

    /** @param metrics to which each second is added; null: none */
    public Observer(@Nullable Path file, Consumer<String> progress, @Nullable LoadMetrics metrics) throws IOException {
        this.progress = progress;
        this.metrics = metrics;
        this.log = file == null ? null : stream(file);
        this.writer = log == null ? null : new HistogramLogWriter(log);
        if (writer != null) {
            long startedMillis = System.currentTimeMillis();
            writer.outputComment(
                    "[latencies of cleave load in nanoseconds since operations were due; the maxima in ms]");
            writer.outputLogFormatVersion();
            writer.outputBaseTime(startedMillis);
            writer.outputStartTime(startedMillis);
            writer.setBaseTime(startedMillis);
            writer.outputLegend();
        }
    }

    private static PrintStream stream(Path file) throws IOException {
        return new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
    }

    /** Watches a run from its begin to its end. */
    public Summary watch(LoadRun run, LoadPlan plan, Provenance provenance) {
        if (plan.warmUpSeconds() > 0) {
            progress.accept(String.format(Locale.ROOT, "warming up for %s s", Schedule.text(plan.warmUpSeconds())));
        }
        while (run.isRunning() && run.seconds() < 0) {
            Wait.until(() -> !run.isRunning() || run.seconds() >= 0, LOOK_MAX, PAUSE);
        }
        while (run.isRunning()) {
            double next = nextLook(run.startedMillis(), last);
            Wait.until(() -> !run.isRunning() || run.seconds() >= next, LOOK_MAX, PAUSE);
            if (run.isRunning()) {
                look(run, plan.schedule());
            }
        }
        long neverSent = run.end();
        double seconds = Math.max(1e-3, run.seconds());
        look(run, plan.schedule());
        Tally tally = run.tally();
        return new Summary(
                setting(run, plan, provenance),
                warmUp(run, plan),
                seconds,
                tally.counts(),
                latencies,
                service,
                failedLatency,
                tally.problems(),
                neverSent,
                tally.failures(),
                series,
                run.steps(),
                List.of(),
                Summary.Verified.NOT,
                List.of(),
                null);
    }

    private static Summary.WarmUp warmUp(LoadRun run, LoadPlan plan) {
        Count all = run.warmUp().counts().values().stream().reduce(Count.NONE, Count::plus);
        return new Summary.WarmUp(plan.warmUpSeconds(), all.operations(), all.failed());
    }

    /** The next second of the wall clock, in seconds of the run, so that the seconds of several processes are the same. */
    static double nextLook(long startedMillis, double last) {
        double clock = startedMillis / MILLIS_PER_SECOND + last;
        double next = Math.floor(clock) + 1;
        return next - startedMillis / MILLIS_PER_SECOND + (next - clock < SHORTEST_SECONDS ? 1 : 0);
    }

    private static Summary.Setting setting(LoadRun run, LoadPlan plan, Provenance provenance) {
        return new Summary.Setting(
                Instant.ofEpochMilli(run.startedMillis()),
                plan.target().address(),
                plan.table(),
                plan.workload().name(),
                plan.workload().toString(),
                plan.schedule(),
                plan.clients(),
                plan.retries().toString(),
                1,
                provenance);
    }

    private void look(LoadRun run, @Nullable Schedule schedule) {
        double now = run.seconds();
        double length = Math.max(1e-3, now - last);
        Map<Action, Histogram> fresh = run.tally().latencies();
        fresh.forEach((action, some) -> {
            latencies
                    .computeIfAbsent(action, same -> new Histogram(Tally.DIGITS))
                    .add(some);
            log(run, action.id(), some);
        });
        Histogram failed = run.tally().failedLatencies();
        if (failed.getTotalCount() > 0) {
            failedLatency.add(failed);
            log(run, FAILED, failed);
        }
        run.tally().services().values().forEach(service::add);
        Map<Action, Count> sinceOfEach = since(run.tally().counts());
        Count since = sinceOfEach.values().stream().reduce(Count.NONE, Count::plus);
        double due = schedule == null ? 0 : (schedule.operations(now) - schedule.operations(last)) / length;
        if (metrics != null) {
            metrics.add(sinceOfEach, fresh, run.isRunning() ? due : 0, run.behindSeconds());
        }
        if (since.operations() > 0 || length > 0.5) {
            Second second = Second.of(now, length, due, since, Latencies.sum(fresh.values()));
            series.add(second);
            progress.accept(text(second, run.behindSeconds()));
        }
        last = now;
    }

    private Map<Action, Count> since(Map<Action, Count> counts) {
        Map<Action, Count> since = new EnumMap<>(Action.class);
        counts.forEach((action, count) -> since.put(action, count.minus(before.getOrDefault(action, Count.NONE))));
        before.putAll(counts);
        return since;
    }

    /** The first interval begins at second 0, though its recorder was made before the warm-up. */
    private void log(LoadRun run, String tag, Histogram some) {
        if (writer != null) {
            some.setStartTimeStamp(Math.max(some.getStartTimeStamp(), run.startedMillis()));
            some.setTag(tag);
            writer.outputIntervalHistogram(some);
        }
    }

    private static String text(Second second, double behindSeconds) {
        return String.format(
                Locale.ROOT,
                "%6.1f s %,9.0f/s%s  %s  %,.0f errors/s%s%s",
                second.second(),
                second.done(),
                second.offered() > 0 ? String.format(Locale.ROOT, " of %,.0f", second.offered()) : "",
                second.done() > 0
                        ? String.format(Locale.ROOT, "p50 %8.2f ms  p99 %8.2f ms", second.p50(), second.p99())
                        : "none succeeded",
                second.failed(),
                second.retries() > 0 ? String.format(Locale.ROOT, ", %,.0f retries/s", second.retries()) : "",
                behindSeconds > 0.1 ? String.format(Locale.ROOT, "  BEHIND by %.1f s", behindSeconds) : "");
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
