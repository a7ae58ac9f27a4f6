package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.lab.partitioning.RangeWatch.Moment;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A range that is too hot is split where its load divides, and the parts go to other servers. */
final class HotRange implements Experiment {
    private static final EvenPartitions PARTITIONS = new EvenPartitions(60);

    private static final double REQUESTS_PER_SECOND = 90;
    private static final Duration SPREAD_MAX = Duration.ofMinutes(2);

    @Override
    public void run(LabRun run) throws IOException {
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Hot");
            ranges.spread(client, table, List.of(PARTITIONS.first()));
            client.load(table, PARTITIONS.entities());
            try (RangeWatch watch = new RangeWatch(run, table, PARTITIONS.first(), PARTITIONS.last());
                    SteadyLoad load =
                            SteadyLoad.started(run.endpoint(), REQUESTS_PER_SECOND, PARTITIONS.reads(table, 0))) {
                int before = watch.latest().parts().size();
                watch.watch(Duration.ofSeconds(run.of(1, 10)));
                run.progress("the balancer begins");
                double begun = watch.now();
                run.changeSettings(EvenPartitions.SOON_HOT);
                boolean isSpread = watch.until(moment -> moment.servers() >= 3, SPREAD_MAX);
                run.progress("watching " + (isSpread ? "the three servers" : "on"));
                watch.watch(Duration.ofSeconds(run.of(1, 45)));
                load.end();
                report(run, ranges.servers(), watch, load, begun);
                claims(run, watch, load, before);
            }
        }
    }

    private static void report(LabRun run, List<String> servers, RangeWatch watch, SteadyLoad load, double begun) {
        run.say(String.format(
                Locale.ROOT,
                "Clients were to read %,.0f partitions a second, of %d entities each, and read %,.0f. The balancer was off until second %.0f;"
                        + " from then on a range with more than 300 entities/s was hot. %,d requests were answered, and %,d refused with 503.",
                REQUESTS_PER_SECOND,
                EvenPartitions.ENTITIES,
                load.answeredPerSecond(),
                begun,
                load.answered(),
                load.refused()));
        List<List<String>> rows = new ArrayList<>();
        for (Happening each : watch.happenings()) {
            rows.add(List.of(
                    String.format(Locale.ROOT, "%.1f s", each.seconds()),
                    each.kind(),
                    each.why(),
                    each.figure("at").replaceAll("\\d+/", "")));
        }
        run.table(
                "What the masters' leader did, and why",
                List.of("when", "what", "why", "before the PartitionKeys"),
                rows);
        run.table(
                "The ranges at the end",
                List.of("range", "server", "entities/s"),
                watch.latest().parts().stream()
                        .map(part -> List.of(
                                part.range(),
                                part.server(),
                                String.format(Locale.ROOT, "%,.0f", part.entitiesPerSecond())))
                        .toList());
        run.draw(Chart.lines("What each server carries of the table", "entities/s", "seconds", watch.loads(servers))
                .marked(watch.marks()));
    }

    private static void claims(LabRun run, RangeWatch watch, SteadyLoad load, int before) {
        List<Happening> splits = watch.all("split");
        Moment last = watch.latest();
        run.claim("at first the table is one range on one server", before == 1, Ranges.counted(before));
        run.claim(
                "the first thing that the balancer does is to split it, because it is hot",
                !watch.happenings().isEmpty()
                        && watch.happenings().get(0).kind().equals("split")
                        && watch.happenings().get(0).why().startsWith("hot: "),
                splits.isEmpty() ? "no split" : splits.get(0).why());
        run.claim(
                "three servers share the table in the end",
                last.servers() == 3,
                last.parts().size() + " ranges on " + last.servers() + " servers");
        run.claim(
                "no request failed but by 503, after which a client asks again",
                load.failed() == 0 && load.answered() > 0,
                load.failed() + " of " + load.sent() + " failed" + String.join("; ", load.errors()));
    }
}
