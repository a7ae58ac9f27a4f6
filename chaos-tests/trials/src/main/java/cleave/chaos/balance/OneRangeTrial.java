package cleave.chaos.balance;

import cleave.chaos.fault.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** A load on one range that no split can relieve, so that the balancer reports a verdict. Confined to its thread. */
final class OneRangeTrial {
    private static final int PARTITION = Demand.PARTITIONS / 2;
    private static final double SHARE = 0.8;

    private final Kind kind;
    private final Trial trial;
    private final LoadShape shape;

    enum Kind {
        /** One partition gets most of the load. */
        POPULAR("Popular", "popular partition"),
        /**
         * Inserts behind all existing entities: the end is split off once, moves to another server, and is then
         * reported.
         */
        APPEND("Append", "moving end");

        private final String table;
        private final String reason;

        Kind(String table, String reason) {
            this.table = table;
            this.reason = reason;
        }

        private Demand demand() {
            return switch (this) {
                case POPULAR -> Demand.popular(table, PARTITION, SHARE);
                case APPEND -> Demand.append(table);
            };
        }

        private String title(double entities) {
            return switch (this) {
                case POPULAR ->
                    String.format(
                            Locale.ROOT,
                            "%,.0f entities/s on one range, %.0f%% of them of one partition",
                            entities,
                            SHARE * 100);
                case APPEND -> String.format(Locale.ROOT, "%,.0f inserts/s, all behind the last entity", entities);
            };
        }
    }

    OneRangeTrial(Kind kind, Trial trial, LoadShape shape) {
        this.kind = kind;
        this.trial = trial;
        this.shape = shape;
    }

    Report run() throws IOException {
        trial.fill(List.of(kind.table), shape.rangeBytes(), Map.of());
        Watch watch = trial.watch(shape.warmSeconds());
        PacedLoad load = trial.load(kind.demand(), shape);
        watch.until(shape.seconds());
        double ended = watch.now();
        List<LeaderEvent> named = watch.verdicts(kind.reason).toList();
        List<LeaderEvent> begun = watch.begun(0).toList();
        List<Goal> goals = new ArrayList<>(kind == Kind.POPULAR ? popular(named, begun) : append(watch, named, begun));
        goals.add(Trial.keptUp("the load", load.entities(), ended, shape.entities()));
        List<String> notes = (kind == Kind.POPULAR
                        ? Stream.concat(named.stream(), begun.stream())
                        : Stream.concat(begun.stream(), named.stream()))
                .map(LeaderEvent::toString)
                .toList();
        return trial.end(kind.title(shape.entities()), ended, goals, notes);
    }

    private static List<Goal> popular(List<LeaderEvent> named, List<LeaderEvent> begun) {
        String partition = Workload.partitionKey(PARTITION);
        return List.of(
                new Goal(
                        "partition " + partition + " is named",
                        named.stream()
                                .anyMatch(event -> event.evidence("partition").contains(partition)),
                        named.isEmpty()
                                ? "never"
                                : String.format(
                                        Locale.ROOT,
                                        "after %.1f s, %s of the samples",
                                        named.get(0).seconds(),
                                        named.get(0).evidence("part-of-samples"))),
                new Goal("no handoff begins", begun.isEmpty(), begun.size() + " began"));
    }

    private List<Goal> append(Watch watch, List<LeaderEvent> named, List<LeaderEvent> begun) {
        List<LeaderEvent> committed = watch.committed("split").toList();
        return List.of(
                new Goal(
                        "the end is split off, once",
                        begun.size() == 1 && begun.get(0).isFor(kind.reason) && committed.size() == 1,
                        begun.size() + " handoffs began"
                                + (committed.isEmpty() ? "" : ", a split was committed " + after(committed.get(0)))),
                new Goal(
                        "the end lies on another server",
                        watch.latest().owners() == 2,
                        watch.latest().owners() + " servers own ranges"),
                new Goal(
                        "then the moving end is named",
                        !named.isEmpty(),
                        named.isEmpty() ? "never" : after(named.get(0))));
    }

    private static String after(LeaderEvent event) {
        return String.format(Locale.ROOT, "after %.1f s", event.seconds());
    }
}
