package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.FullForm;
import cleave.chaos.lab.Lab;
import cleave.chaos.lab.LabCard;
import cleave.chaos.lab.LabCard.Course;
import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.lab.partitioning.RangeWatch.Moment;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import cleave.master.policy.MoveGoal;
import cleave.master.policy.SplitPlanner;
import cleave.master.state.BalancerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A range that is too hot is split where its load divides, and the parts go to other servers. */
final class HotRange implements Lab {
    private static final EvenPartitions PARTITIONS = new EvenPartitions(60);

    private static final double REQUESTS_PER_SECOND = 90;
    private static final Duration SPREAD_MAX = Duration.ofMinutes(2);

    @Override
    public LabCard card() {
        return new LabCard(
                Course.PARTITIONING,
                "hot-range",
                "A hot range is split, and its parts spread over servers",
                Needs.CLUSTER,
                3,
                "All 60 partitions of a table lie in one range on one server, and clients read 900 entities/s, evenly over the partitions. A range is"
                        + " called hot above 300 entities/s. What does the cluster do?",
                List.of(
                        "It moves the range to the least loaded server",
                        "It splits the range by its load, in one step, and servers share the parts",
                        "It halves the range, and the halves again, until no part is hot",
                        "It refuses what exceeds the threshold"),
                1,
                List.of(
                        "Moving a hot range only moves the hot spot. So the balancer splits it, in one step, into as many parts as its load needs,"
                                + " at bounds that divide the sampled load evenly: servers sample which keys requests ask for, and report how"
                                + " much of the load lies on either side of each. A part that is still too hot is split again.",
                        "The parts go to the least loaded servers in the same handoff. Later moves even out what the estimate got wrong, but only if a"
                                + " move narrows the gap between two servers; and a range that was just placed rests for a while, so that"
                                + " nothing swings.",
                        "No entity is copied in a split: each part begins with the files of the whole, restricted to its interval of keys. Clients"
                                + " notice a short pause, or a 503, after which they ask again.",
                        "The real threshold is 2,000 entities/s in three seconds out of four. The lab lowers it, so that a small load is too much;"
                                + " with --full it does not, and watches the parts merge when the load has stopped."),
                List.of(SplitPlanner.class, MoveGoal.class, BalancerSettings.class),
                "Send nine tenths of the requests to the first six partitions. Where are the bounds now, and how many partitions has each range?",
                "Calder et al., \"Windows Azure Storage\" (SOSP 2011), 5.5: load balance, split and merge; Azure Storage, \"Designing a scalable"
                        + " partitioning strategy\": load balancing");
    }

    @Override
    public Lab full(FullForm form) {
        return FullTrial.lab(
                card().full(
                                "All 100 partitions of a table lie in one range on one server, and clients request 7,000 entities/s (--entities), half of them by pages and"
                                        + " half by upserts, evenly over the partitions. A range is hot above 2,000 entities/s. What does the cluster do, and what when"
                                        + " the load has stopped?"),
                form,
                FullHotRange::run);
    }

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
