package cleave.chaos.balance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Loads around the threshold that never change, each on a table of its own: once settled, nothing may move. Confined to its thread. */
final class SteadyTrial {
    /** The default threshold of splits. */
    private static final double THRESHOLD = 2_000;

    private final Trial trial;
    private final Shape shape;

    /**
     * The parameters. Immutable.
     *
     * @param loads a table each, as parts of the threshold of splits
     * @param settleSeconds how long the balancer may act
     * @param rest how long it must then rest, and the size of each table
     */
    record Shape(List<Double> loads, double settleSeconds, LoadShape rest) {
        Shape {
            loads = List.copyOf(loads);
        }
    }

    SteadyTrial(Trial trial, Shape shape) {
        this.trial = trial;
        this.shape = shape;
    }

    Report run() throws IOException {
        List<String> tables = new ArrayList<>();
        for (int i = 0; i < shape.loads().size(); i++) {
            tables.add("Steady" + i);
        }
        trial.fill(tables, shape.rest().rangeBytes(), Map.of());
        trial.splitBefore(tables);
        Watch watch = trial.watch(0);
        List<PacedLoad> loads = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            loads.add(trial.load(
                    Demand.uniform(tables.get(i)), entities(i), shape.rest().seed() + i));
        }
        watch.until(shape.settleSeconds());
        double settled = watch.now();
        for (int i = 0; i < loads.size(); i++) {
            loads.get(i).begin(entities(i));
        }
        int ranges = watch.latest().ranges();
        List<String> notes = new ArrayList<>();
        notes.add(watch.begun(0).count() + " handoffs before");
        watch.until(settled + shape.rest().seconds());
        double ended = watch.now();
        List<Goal> goals = new ArrayList<>();
        for (int i = 0; i < loads.size(); i++) {
            String what = String.format(
                    Locale.ROOT,
                    "the load of %.2f times the threshold",
                    shape.loads().get(i));
            goals.add(Trial.keptUp(what, loads.get(i).entities(), ended - settled, entities(i)));
        }
        List<LeaderEvent> late = watch.begun(settled).toList();
        goals.add(new Goal(
                String.format(
                        Locale.ROOT,
                        "no handoff in %.1f min, after %.1f min to settle",
                        shape.rest().seconds() / 60,
                        shape.settleSeconds() / 60),
                late.isEmpty(),
                late.size() + " handoffs, " + ranges + " ranges"));
        late.forEach(event -> notes.add("NOT SETTLED: " + event));
        return trial.end(title(), ended, goals, notes);
    }

    private double entities(int table) {
        return shape.loads().get(table) * THRESHOLD;
    }

    private String title() {
        List<String> each = shape.loads().stream()
                .map(load -> load * THRESHOLD)
                .map(load -> String.format(Locale.ROOT, "%,.0f", load))
                .toList();
        return "Steady loads of " + String.join(", ", each) + " entities/s, a table each";
    }
}
