package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.FullForm;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.SteadyLoad;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A load around the threshold that never changes: the balancer acts, and then rests. */
final class FullSteadyLoads {
    /** The default threshold of splits. */
    private static final double FULL_THRESHOLD = 2_000;

    private static final int FULL_SECONDS = 600;
    private static final double SECONDS_PER_MINUTE = 60;

    private FullSteadyLoads() {}

    static void run(FullTrial trial) throws IOException {
        FullForm form = trial.form();
        List<String> names = new ArrayList<>();
        form.loads().forEach(load -> names.add("Steady" + names.size()));
        List<String> tables = trial.fill(names);
        trial.splitBefore(tables);
        RangeWatch watch = trial.begin(0);
        List<SteadyLoad> loads = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            loads.add(trial.load(Demand.uniform(tables.get(i)), entities(form, i), form.seed() + i));
        }
        trial.until(form.settleSeconds());
        double settled = watch.now();
        for (int i = 0; i < loads.size(); i++) {
            trial.begin(loads.get(i), entities(form, i));
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
            trial.claimKeptUp(what, loads.get(i), ended - settled, entities(form, i));
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
