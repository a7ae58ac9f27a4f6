package cleave.chaos.lab.partitioning;

import cleave.chaos.fault.RecordingClients;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.SteadyLoad;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Loads on one range that no split can relieve, so that the balancer reports a verdict. */
final class FullOneRange {
    private static final int ENTITIES = 5_000;
    private static final int SECONDS = 60;
    private static final int PARTITION = Demand.PARTITIONS / 2;
    private static final double SHARE = 0.8;

    private FullOneRange() {}

    /** One partition gets most of the load. */
    static void popular(FullTrial trial) throws IOException {
        double entities = trial.form().entities(ENTITIES);
        String table = trial.fill(List.of("Popular")).get(0);
        double ended = load(trial, Demand.popular(table, PARTITION, SHARE), entities);
        String partition = RecordingClients.partitionKey(PARTITION);
        List<Happening> named = verdicts(trial, "popular partition");
        trial.run()
                .claim(
                        "partition " + partition + " is named",
                        named.stream()
                                .anyMatch(event -> event.figure("partition").contains(partition)),
                        named.isEmpty()
                                ? "never"
                                : after(named.get(0)) + ", " + named.get(0).figure("part-of-samples")
                                        + " of the samples");
        List<Happening> begun = trial.watch().begun(0);
        trial.run().claim("no handoff begins", begun.isEmpty(), begun.size() + " began");
        trial.say(named);
        trial.say(begun);
        trial.end(
                String.format(
                        Locale.ROOT,
                        "%,.0f entities/s on one range, %.0f%% of them of one partition",
                        entities,
                        SHARE * 100),
                ended);
    }

    /** Inserts behind all entities: the end is split off once, moves to another server, and is then reported. */
    static void append(FullTrial trial) throws IOException {
        double entities = trial.form().entities(ENTITIES);
        String table = trial.fill(List.of("Append")).get(0);
        double ended = load(trial, Demand.append(table), entities);
        List<Happening> begun = trial.watch().begun(0);
        List<Happening> committed = trial.watch().all("split");
        trial.run()
                .claim(
                        "the end is split off, once",
                        begun.size() == 1 && begun.get(0).isFor("moving end") && committed.size() == 1,
                        begun.size() + " handoffs began"
                                + (committed.isEmpty() ? "" : ", a split was committed " + after(committed.get(0))));
        long owners = trial.watch().latest().servers();
        trial.run().claim("the end lies on another server", owners == 2, owners + " servers own ranges");
        List<Happening> named = verdicts(trial, "moving end");
        trial.run()
                .claim(
                        "then the moving end is named",
                        !named.isEmpty(),
                        named.isEmpty() ? "never" : after(named.get(0)));
        trial.say(begun);
        trial.say(named);
        trial.end(String.format(Locale.ROOT, "%,.0f inserts/s, all behind the last entity", entities), ended);
    }

    /** Claims that the load was kept up, and returns the second at which it ended. */
    private static double load(FullTrial trial, Demand demand, double entities) throws IOException {
        SteadyLoad load = trial.warmLoad(demand, entities);
        trial.until(trial.form().seconds(SECONDS));
        double ended = trial.watch().now();
        trial.claimKeptUp("the load", load, ended, entities);
        return ended;
    }

    private static List<Happening> verdicts(FullTrial trial, String reason) {
        return trial.watch().all("verdict").stream()
                .filter(event -> event.isFor(reason))
                .toList();
    }

    private static String after(Happening event) {
        return String.format(Locale.ROOT, "after %.1f s", event.seconds());
    }
}
