package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.lab.partitioning.RangeWatch.Moment;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Mark;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Ranges that lost their load merge again; ranges between the two thresholds are left alone. */
final class ColdRanges implements Experiment {
    private static final EvenPartitions PARTITIONS = new EvenPartitions(36);

    private static final int SPLIT_LOAD = 400;
    private static final int MERGE_LOAD = SPLIT_LOAD / 4;
    /** Of each range. */
    private static final double REQUESTS_PER_SECOND = 15;

    private static final Duration MERGED_MAX = Duration.ofMinutes(2);
    private static final Map<String, String> SOON = Map.of(
            "balancer.split", "true",
            "balancer.merge", "true",
            "balancer.split-load", Integer.toString(SPLIT_LOAD),
            "balancer.merge-load", "25%",
            "balancer.merge-window",
                    "6s", // So that a pause of the machine for a few seconds does not look like no load.
            "balancer.merge-after-split", "2s",
            "balancer.merge-after-start", "1s",
            "balancer.move-rest", "1s");

    @Override
    public void run(LabRun run) throws IOException {
        Ranges ranges = Ranges.atRest(run);
        int count = run.of(2, 6);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Cold");
            ranges.spread(
                    client,
                    table,
                    IntStream.range(0, count)
                            .mapToObj(range -> EvenPartitions.key(range * PARTITIONS.count() / count))
                            .toList());
            client.load(table, PARTITIONS.entities());
            try (RangeWatch watch = new RangeWatch(run, table, PARTITIONS.first(), PARTITIONS.last())) {
                double perSecond = lukewarm(run, watch, table, count);
                double ended = watch.now();
                run.progress("the load has ended");
                watch.until(moment -> moment.parts().size() == 1, MERGED_MAX);
                watch.watch(Duration.ofSeconds(run.of(1, 10)));
                report(run, watch, ended, perSecond, count);
                claims(run, watch, ended);
            }
        }
    }

    /** A load between the thresholds, longer than the balancer looks back; returns how many requests were answered a second. */
    private static double lukewarm(LabRun run, RangeWatch watch, String table, int ranges) throws IOException {
        SteadyLoad load = SteadyLoad.started(run.endpoint(), REQUESTS_PER_SECOND * ranges, PARTITIONS.reads(table, 0));
        try (load) {
            // The masters must know of the load before the balancer judges by it.
            watch.until(
                    moment -> moment.parts().stream().allMatch(part -> part.entitiesPerSecond() > MERGE_LOAD),
                    Duration.ofSeconds(30));
            run.changeSettings(SOON);
            watch.watch(Duration.ofSeconds(run.of(8, 25)));
            load.mustNotHaveFailed();
        }
        return load.answeredPerSecond();
    }

    private static void report(LabRun run, RangeWatch watch, double ended, double perSecond, int ranges) {
        run.say(String.format(
                Locale.ROOT,
                "Until second %.0f clients were to read %,.0f entities/s, and read %,.0f, evenly over %d ranges. Then they left. The table's size"
                        + " plays no part: it is far below the limit.",
                ended,
                REQUESTS_PER_SECOND * EvenPartitions.ENTITIES * ranges,
                perSecond * EvenPartitions.ENTITIES,
                ranges));
        List<List<String>> rows = new ArrayList<>();
        for (Happening each : watch.happenings()) {
            rows.add(List.of(
                    String.format(Locale.ROOT, "%.1f s", each.seconds()),
                    each.kind(),
                    each.why(),
                    each.figure("most-entities-per-second")));
        }
        run.table(
                "What the masters' leader did, and why",
                List.of("when", "what", "why", "most entities/s of the two, lately"),
                rows);
        List<Mark> marks = List.of(new Mark(ended, "the load ends"));
        run.draw(Chart.lines(
                        "Ranges of the table, and servers that have them",
                        "count",
                        "seconds",
                        List.of(
                                watch.series("ranges", moment -> moment.parts().size()),
                                watch.series("servers", Moment::servers)))
                .marked(marks));
        run.draw(Chart.lines(
                        "Entities read from the table",
                        "entities/s",
                        "seconds",
                        List.of(watch.series(
                                "all ranges",
                                moment -> moment.parts().stream()
                                        .mapToDouble(RangeWatch.Part::entitiesPerSecond)
                                        .sum())))
                .marked(marks));
    }

    private static void claims(LabRun run, RangeWatch watch, double ended) {
        long before = watch.happenings().stream()
                .filter(each -> each.seconds() < ended)
                .count();
        run.claim(
                "between the thresholds, ranges are neither split nor merged nor moved",
                before == 0,
                before + " handoffs in " + Math.round(ended) + " s under load");
        run.claim(
                "without load, they become one range",
                watch.latest().parts().size() == 1,
                Ranges.counted(watch.latest().parts().size()) + " on "
                        + watch.latest().servers() + " server");
        List<Happening> merges = watch.all("merge");
        run.claim(
                "each merge of its ranges is one of neighbours that carried less than the threshold together, by the leader's own figures",
                !merges.isEmpty()
                        && merges.stream()
                                .allMatch(each -> each.why().startsWith("cold")
                                        && Integer.parseInt(each.figure("most-entities-per-second")) < MERGE_LOAD),
                merges.size() + " merges, of at most "
                        + merges.stream()
                                .mapToInt(each -> Integer.parseInt("0" + each.figure("most-entities-per-second")))
                                .max()
                                .orElse(0)
                        + " entities/s");
    }
}
