package cleave.chaos.balance;

import cleave.chaos.fault.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A load of which one partition gets most: no split cures it, so it is named. Confined to its thread. */
final class PopularTrial {
    private static final String TABLE = "Popular";
    private static final String REASON = "popular partition";
    private static final int PARTITION = Demand.PARTITIONS / 2;
    private static final double SHARE = 0.8;

    private final Trial trial;
    private final LoadShape shape;

    PopularTrial(Trial trial, LoadShape shape) {
        this.trial = trial;
        this.shape = shape;
    }

    Report run() throws IOException {
        trial.fill(List.of(TABLE), shape.rangeBytes(), Map.of());
        Watch watch = trial.watch(shape.warmSeconds());
        PacedLoad load = trial.load(Demand.popular(TABLE, PARTITION, SHARE), shape);
        watch.until(shape.seconds());
        double ended = watch.now();
        String partition = Workload.partitionKey(PARTITION);
        List<Told> named = watch.verdicts(REASON).toList();
        List<Told> begun = watch.begun(0).toList();
        List<Goal> goals = new ArrayList<>();
        goals.add(new Goal(
                "partition " + partition + " is named",
                named.stream().anyMatch(told -> told.evidence("partition").contains(partition)),
                named.isEmpty()
                        ? "never"
                        : String.format(
                                Locale.ROOT,
                                "after %.1f s, %s of the samples",
                                named.get(0).seconds(),
                                named.get(0).evidence("part-of-samples"))));
        goals.add(new Goal("no handoff begins", begun.isEmpty(), begun.size() + " began"));
        goals.add(Trial.keptUp("the load", load.entities(), ended, shape.entities()));
        List<String> notes = new ArrayList<>();
        named.forEach(told -> notes.add(told.toString()));
        begun.forEach(told -> notes.add(told.toString()));
        return trial.end(
                String.format(
                        Locale.ROOT,
                        "%,.0f entities/s on one range, %.0f%% of them of one partition",
                        shape.entities(),
                        SHARE * 100),
                ended,
                goals,
                notes);
    }
}
