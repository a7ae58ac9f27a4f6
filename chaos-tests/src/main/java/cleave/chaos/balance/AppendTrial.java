package cleave.chaos.balance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A load of inserts behind all that there is: the end is split off once, goes elsewhere, and is then named. Confined to its thread. */
final class AppendTrial {
    private static final String TABLE = "Append";
    private static final String REASON = "moving end";

    private final Trial trial;
    private final LoadShape shape;

    AppendTrial(Trial trial, LoadShape shape) {
        this.trial = trial;
        this.shape = shape;
    }

    Report run() throws IOException {
        trial.fill(List.of(TABLE), shape.rangeBytes(), Map.of());
        Watch watch = trial.watch(shape.warmSeconds());
        PacedLoad load = trial.load(Demand.append(TABLE), shape);
        watch.until(shape.seconds());
        double ended = watch.now();
        List<Told> begun = watch.begun(0).toList();
        List<Told> committed = watch.committed("split").toList();
        List<Told> named = watch.verdicts(REASON).toList();
        List<Goal> goals = new ArrayList<>();
        goals.add(new Goal(
                "the end is split off, once",
                begun.size() == 1 && begun.get(0).isFor(REASON) && committed.size() == 1,
                begun.size() + " handoffs began"
                        + (committed.isEmpty()
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", a split was committed after %.1f s",
                                        committed.get(0).seconds()))));
        goals.add(new Goal(
                "the end lies on another server",
                watch.latest().owners() == 2,
                watch.latest().owners() + " servers own ranges"));
        goals.add(new Goal(
                "then the moving end is named",
                !named.isEmpty(),
                named.isEmpty()
                        ? "never"
                        : String.format(
                                Locale.ROOT, "after %.1f s", named.get(0).seconds())));
        goals.add(Trial.keptUp("the load", load.entities(), ended, shape.entities()));
        List<String> notes = new ArrayList<>();
        begun.forEach(told -> notes.add(told.toString()));
        named.forEach(told -> notes.add(told.toString()));
        return trial.end(
                String.format(Locale.ROOT, "%,.0f inserts/s, all behind the last entity", shape.entities()),
                ended,
                goals,
                notes);
    }
}
