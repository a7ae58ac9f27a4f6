package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch.Moment;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Mark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A table is spread under a load that was made up, and spread anew under its real load. */
final class Priming implements Experiment {
    private static final EvenPartitions PARTITIONS = new EvenPartitions(60);
    /** The last partitions, to which all requests of the real load go; too few for a bound between them under an even load. */
    private static final int POPULAR = 3;

    private static final double MADE_UP_PER_SECOND = 90;
    private static final double REAL_PER_SECOND = 70;
    private static final Duration SPREAD_MAX = Duration.ofMinutes(2);

    /**
     * How a load is shared among servers. Immutable.
     *
     * @param entities a second, by server
     * @param popular ranges that the popular partitions lie in
     */
    private record Share(String when, Map<String, Double> entities, int popular) {
        double busiest() {
            return entities.values().stream()
                    .mapToDouble(Double::doubleValue)
                    .max()
                    .orElse(0);
        }

        double all() {
            return entities.values().stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Primed");
            ranges.spread(client, table, List.of(PARTITIONS.first()));
            client.load(table, PARTITIONS.entities());
            try (RangeWatch watch = new RangeWatch(run, table, PARTITIONS.first(), PARTITIONS.last())) {
                List<Share> shares = new ArrayList<>();
                run.progress("priming");
                SteadyLoad madeUp = load(run, table, 0, MADE_UP_PER_SECOND);
                try (madeUp) {
                    balance(run, watch, moment -> moment.servers() == 3);
                    madeUp.mustNotHaveFailed();
                }
                shares.add(share(client, table, "made up, primed", 0, MADE_UP_PER_SECOND));
                shares.add(share(client, table, "real, primed", PARTITIONS.count() - POPULAR, REAL_PER_SECOND));
                double live = watch.now();
                run.progress("the real load");
                SteadyLoad real = load(run, table, PARTITIONS.count() - POPULAR, REAL_PER_SECOND);
                try (real) {
                    watch.watch(Duration.ofSeconds(run.of(1, 8)));
                    balance(run, watch, moment -> popularServers(client, table) > 1);
                    watch.watch(Duration.ofSeconds(run.of(1, 15)));
                    real.mustNotHaveFailed();
                }
                shares.add(share(client, table, "real, balanced anew", PARTITIONS.count() - POPULAR, REAL_PER_SECOND));
                tell(run, live, madeUp, real);
                report(run, ranges.servers(), watch, shares, live);
                claims(run, watch, shares, live);
            }
        }
    }

    /** Evenly over the partitions from one on. */
    private static SteadyLoad load(LabRun run, String table, int from, double perSecond) {
        return SteadyLoad.started(run.endpoint(), perSecond, PARTITIONS.reads(table, from));
    }

    /** Lets the balancer work until it has done what is awaited, and then rest. */
    private static void balance(LabRun run, RangeWatch watch, Predicate<Moment> isDone) throws IOException {
        watch.watch(Duration.ofSeconds(run.of(1, 5)));
        run.changeSettings(EvenPartitions.SOON_HOT);
        watch.until(isDone, SPREAD_MAX);
        watch.watch(Duration.ofSeconds(run.of(1, 15)));
        run.changeSettings(Ranges.REST);
        watch.watch(Duration.ofSeconds(1)); // A handoff that has begun ends.
    }

    private static long popularServers(LabClient client, String table) {
        try {
            return share(client, table, "", PARTITIONS.count() - POPULAR, 1)
                    .entities()
                    .size();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Share share(LabClient client, String table, String when, int from, double perSecond)
            throws IOException {
        Map<String, Double> entities = new TreeMap<>();
        Set<String> popular = new TreeSet<>();
        for (int partition = from; partition < PARTITIONS.count(); partition++) {
            Cost place = client.locate(table, EvenPartitions.key(partition));
            if (!place.servers().isEmpty()) {
                entities.merge(
                        place.servers().first(),
                        perSecond * EvenPartitions.ENTITIES / (PARTITIONS.count() - from),
                        Double::sum);
            }
            if (partition >= PARTITIONS.count() - POPULAR) {
                popular.addAll(place.ranges());
            }
        }
        return new Share(when, entities, popular.size());
    }

    private static void tell(LabRun run, double live, SteadyLoad madeUp, SteadyLoad real) {
        run.say(String.format(
                Locale.ROOT,
                "Until second %.0f a load that was made up was to read all %d partitions evenly, %,.0f entities/s, and read %,.0f; the balancer"
                        + " split the table. Then the real load came, %,.0f entities/s for the last %d partitions, of which it read %,.0f; the"
                        + " balancer was off for some seconds, so that both can be compared, and then on again. The first table divides what"
                        + " was to be read by where the partitions are.",
                live,
                PARTITIONS.count(),
                MADE_UP_PER_SECOND * EvenPartitions.ENTITIES,
                madeUp.answeredPerSecond() * EvenPartitions.ENTITIES,
                REAL_PER_SECOND * EvenPartitions.ENTITIES,
                POPULAR,
                real.answeredPerSecond() * EvenPartitions.ENTITIES));
    }

    private static void report(LabRun run, List<String> servers, RangeWatch watch, List<Share> shares, double live) {
        List<String> heads = new ArrayList<>(List.of("load"));
        servers.forEach(server -> heads.add("entities/s on " + server));
        heads.add("ranges with popular partitions");
        List<List<String>> rows = new ArrayList<>();
        for (Share share : shares) {
            List<String> row = new ArrayList<>(List.of(share.when()));
            servers.forEach(server ->
                    row.add(String.format(Locale.ROOT, "%.0f", share.entities().getOrDefault(server, 0.0))));
            row.add(Integer.toString(share.popular()));
            rows.add(row);
        }
        run.table("Where the loads go", heads, rows);
        run.table(
                "What the masters' leader did, and why",
                List.of("when", "what", "why", "before the PartitionKeys"),
                watch.happenings().stream()
                        .map(each -> List.of(
                                String.format(Locale.ROOT, "%.1f s", each.seconds()),
                                each.kind(),
                                each.why(),
                                each.figure("at").replaceAll("\\d+/", "")))
                        .toList());
        List<Mark> marks = new ArrayList<>(watch.marks());
        marks.add(new Mark(live, "the real load"));
        run.draw(Chart.lines("What each server carries of the table", "entities/s", "seconds", watch.loads(servers))
                .marked(marks));
    }

    private static void claims(LabRun run, RangeWatch watch, List<Share> shares, double live) {
        Share madeUp = shares.get(0);
        Share primed = shares.get(1);
        Share anew = shares.get(2);
        run.claim(
                "primed, three servers share the load that was made up",
                madeUp.entities().size() == 3,
                text(madeUp));
        run.claim(
                "but one of them carries all of the real load, since the popular partitions lie in one range",
                primed.entities().size() == 1 && primed.popular() == 1,
                text(primed));
        run.claim(
                "the balancer splits between popular partitions under the real load, and not before",
                anew.popular() > 1
                        && watch.all("split").stream().anyMatch(each -> each.seconds() > live)
                        && watch.all("split").stream().anyMatch(each -> each.seconds() < live),
                Ranges.counted(primed.popular()) + " with popular partitions before, " + anew.popular() + " after");
        run.claim(
                "then servers share the real load, too",
                anew.entities().size() > 1 && anew.busiest() < anew.all(),
                text(anew));
    }

    private static String text(Share share) {
        return String.join(
                ", ",
                share.entities().entrySet().stream()
                        .map(entry -> String.format(Locale.ROOT, "%s %.0f", entry.getKey(), entry.getValue()))
                        .toList());
    }
}
