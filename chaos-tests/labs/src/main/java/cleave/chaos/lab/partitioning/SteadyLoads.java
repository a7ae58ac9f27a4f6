package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.FullForm;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Series;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A load around the threshold that never changes: the balancer acts, and then rests. */
final class SteadyLoads implements Experiment {
    private static final EvenPartitions PARTITIONS = new EvenPartitions(60);
    private static final int THRESHOLD = 300;
    private static final double REQUESTS_PER_SECOND = 1.4 * THRESHOLD / EvenPartitions.ENTITIES;
    private static final Duration SETTLED_MAX = Duration.ofMinutes(2);
    /** The default threshold of splits. */
    private static final double FULL_THRESHOLD = 2_000;

    private static final int FULL_SECONDS = 600;
    private static final double SECONDS_PER_MINUTE = 60;

    @Override
    public void run(LabRun run) throws IOException {
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Steady");
            ranges.spread(client, table, List.of(PARTITIONS.first()));
            client.load(table, PARTITIONS.entities());
            try (RangeWatch watch = new RangeWatch(run, table, PARTITIONS.first(), PARTITIONS.last());
                    SteadyLoad load =
                            SteadyLoad.started(run.endpoint(), REQUESTS_PER_SECOND, PARTITIONS.reads(table, 0))) {
                watch.until(
                        moment -> moment.parts().stream()
                                        .mapToDouble(RangeWatch.Part::entitiesPerSecond)
                                        .sum()
                                > THRESHOLD,
                        SETTLED_MAX);
                Map<String, String> settings = new TreeMap<>(EvenPartitions.SOON_HOT);
                settings.putAll(
                        Map.of("balancer.merge", "true", "balancer.merge-load", "25%", "balancer.merge-window", "6s"));
                run.changeSettings(settings);
                run.progress("the balancer begins");
                watch.until(moment -> !watch.all("split").isEmpty(), SETTLED_MAX);
                watch.watch(Duration.ofSeconds(run.of(3, 15)));
                double settled = watch.now();
                run.progress("counting handoffs");
                watch.watch(Duration.ofSeconds(run.of(3, 30)));
                load.end();
                report(run, ranges.servers(), watch, load, settled);
                claims(run, watch, load, settled);
            }
        }
    }

    private static void report(LabRun run, List<String> servers, RangeWatch watch, SteadyLoad load, double settled) {
        run.say(String.format(
                Locale.ROOT,
                "Clients were to read %,.0f entities/s, and read %,.0f. The balancer could settle until second %.0f; from then on handoffs were"
                        + " counted.",
                REQUESTS_PER_SECOND * EvenPartitions.ENTITIES,
                load.answeredPerSecond() * EvenPartitions.ENTITIES,
                settled));
        run.table(
                "What the masters' leader did, and why",
                List.of("when", "what", "why"),
                watch.happenings().stream()
                        .map(each ->
                                List.of(String.format(Locale.ROOT, "%.1f s", each.seconds()), each.kind(), each.why()))
                        .toList());
        List<Mark> marks = new ArrayList<>(watch.marks());
        marks.add(new Mark(settled, "settled"));
        List<Series> loads = watch.loads(servers);
        run.draw(Chart.lines("What each server carries of the table", "entities/s", "seconds", loads)
                .marked(marks));
    }

    private static void claims(LabRun run, RangeWatch watch, SteadyLoad load, double settled) {
        run.claim(
                "the range is split, because it is hot",
                watch.all("split").stream().anyMatch(each -> each.isFor("hot")),
                Integer.toString(watch.all("split").size()));
        run.claim(
                "nothing is merged",
                watch.all("merge").isEmpty(),
                Integer.toString(watch.all("merge").size()));
        int late = (int) watch.happenings().stream()
                .filter(each -> each.seconds() > settled)
                .count();
        run.claim("once settled, no range is split, merged or moved", late == 0, late + " handoffs");
        run.claim("no request failed but by 503", load.failed() == 0, load.failed() + " of " + load.sent());
    }

    static void full(FullTrial trial) throws IOException {
        FullForm form = trial.form();
        List<String> names = new ArrayList<>();
        form.loads().forEach(load -> names.add("Steady" + names.size()));
        List<String> tables = trial.fill(names);
        trial.splitBefore(tables);
        RangeWatch watch = trial.begin(0);
        List<PacedLoad> loads = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            loads.add(trial.load(Demand.uniform(tables.get(i)), entities(form, i), form.seed() + i));
        }
        trial.until(form.settleSeconds());
        double settled = watch.now();
        for (int i = 0; i < loads.size(); i++) {
            loads.get(i).begin(entities(form, i));
        }
        int ranges = watch.latest().parts().size();
        trial.run().say(watch.begun(0).size() + " handoffs began before it had settled.");
        trial.until(settled + form.seconds(FULL_SECONDS));
        double ended = watch.now();
        for (int i = 0; i < loads.size(); i++) {
            String what = String.format(
                    Locale.ROOT,
                    "the load of %.2f times the threshold",
                    form.loads().get(i));
            trial.claimKeptUp(what, loads.get(i).entities(), ended - settled, entities(form, i));
        }
        List<Happening> late = watch.begun(settled);
        trial.run()
                .claim(
                        String.format(
                                Locale.ROOT,
                                "no handoff in %.1f min, after %.1f min to settle",
                                (ended - settled) / SECONDS_PER_MINUTE,
                                form.settleSeconds() / SECONDS_PER_MINUTE),
                        late.isEmpty(),
                        late.size() + " handoffs, " + Ranges.counted(ranges));
        trial.say(late);
        List<String> each = form.loads().stream()
                .map(load -> String.format(Locale.ROOT, "%,.0f", load * FULL_THRESHOLD))
                .toList();
        trial.end("Steady loads of " + String.join(", ", each) + " entities/s, a table each", ended);
    }

    private static double entities(FullForm form, int table) {
        return form.loads().get(table) * FULL_THRESHOLD;
    }
}
