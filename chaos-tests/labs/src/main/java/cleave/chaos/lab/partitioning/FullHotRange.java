package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.SteadyLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A load that far exceeds one range is spread over the servers, and ranges merge when it stops. Confined to its thread. */
final class FullHotRange {
    private static final int ENTITIES = 7_000;
    private static final int SECONDS = 90;
    private static final double SPLIT_SECONDS = 5;
    private static final double SPREAD_SECONDS = 15;
    /** Entities per second that clients still request when the load has stopped, to notice faults during the merges. */
    private static final double BACKGROUND = 20;
    /** The cluster has settled when no handoff began for this long. */
    private static final double CALM_SECONDS = 30;

    private static final Duration MERGED_MAX = Duration.ofMinutes(5);
    private static final Duration SPREAD_MAX = Duration.ofMinutes(2);
    private static final double EVEN_SECONDS = 10;
    /** Neighbours merge while their joint size is below half of the size at which a range is split. */
    private static final long MERGED_BYTES_MAX = 128L << 20;

    private static final Map<String, String> MERGE_SOON = Map.of(
            "balancer.merge-window", "10s", "balancer.merge-after-split", "10s", "balancer.merge-after-start", "10s");

    private final FullTrial trial;
    private final int fewRanges;

    private FullHotRange(FullTrial trial) {
        this.trial = trial;
        this.fewRanges = (int) Math.max(3, 1 + 2 * trial.form().rangeBytes() / MERGED_BYTES_MAX);
    }

    static void run(FullTrial trial) throws IOException {
        new FullHotRange(trial).run();
    }

    private void run() throws IOException {
        double entities = trial.form().entities(ENTITIES);
        String table = trial.fill(List.of("Spread")).get(0);
        SteadyLoad load = trial.warmLoad(Demand.uniform(table), entities);
        RangeWatch watch = trial.watch();
        int before = watch.latest().parts().size();
        boolean isSpread = watch.until(
                moment -> moment.servers() == 3 && !watch.all("split").isEmpty(), SPREAD_MAX);
        OptionalDouble spread = isSpread ? OptionalDouble.of(watch.latest().seconds()) : OptionalDouble.empty();
        trial.until(trial.form().seconds(SECONDS));
        double stopped = watch.now();
        trial.run().claim("at first there is one range", before == 1, Ranges.counted(before));
        within(
                "the first split is committed",
                SPLIT_SECONDS,
                watch.all("split").stream().mapToDouble(Happening::seconds).min());
        within("ranges lie on all servers", SPREAD_SECONDS, spread);
        trial.claimKeptUp("the load", load, stopped, entities);
        trial.run().say(evenness(stopped));
        load.rate(BACKGROUND / Demand.ENTITIES);
        trial.run().progress("the load has stopped");
        Map<String, String> settings = new TreeMap<>(MERGE_SOON);
        settings.putAll(trial.form().settings());
        trial.run().changeSettings(settings);
        watch.until(moment -> watch.isIdle() && (moment.parts().size() == 1 || isCalm(moment, stopped)), MERGED_MAX);
        claimMerged(stopped);
        trial.end(String.format(Locale.ROOT, "%,.0f entities/s on one range, for %.0f s", entities, stopped), stopped);
    }

    private void within(String what, double seconds, OptionalDouble seen) {
        trial.run()
                .claim(
                        String.format(Locale.ROOT, "%s within %.0f s", what, seconds),
                        seen.isPresent() && seen.getAsDouble() <= seconds,
                        seen.isPresent() ? String.format(Locale.ROOT, "after %.1f s", seen.getAsDouble()) : "never");
    }

    /** The mean load of each server at the end of the load. */
    private String evenness(double stopped) {
        return trial.servers().stream()
                .map(server -> String.format(
                        Locale.ROOT,
                        "%,.0f",
                        trial.watch().moments().stream()
                                .filter(moment -> moment.seconds() >= stopped - EVEN_SECONDS)
                                .mapToDouble(moment -> moment.carriedBy(server))
                                .average()
                                .orElse(0)))
                .collect(Collectors.joining(
                        ", ",
                        "At the end of the load servers carry ",
                        " entities/s, in "
                                + Ranges.counted(trial.watch().latest().parts().size()) + "."));
    }

    /** True if few ranges are left and no handoff has begun for a while. */
    private boolean isCalm(RangeWatch.Moment moment, double stopped) {
        double since = trial.watch().begun(stopped).stream()
                .mapToDouble(Happening::seconds)
                .max()
                .orElse(stopped);
        return moment.parts().size() <= fewRanges && moment.seconds() - since > CALM_SECONDS;
    }

    private void claimMerged(double stopped) {
        RangeWatch watch = trial.watch();
        int ranges = watch.latest().parts().size();
        double last = watch.all("merge").stream()
                .mapToDouble(Happening::seconds)
                .max()
                .orElse(stopped);
        trial.run()
                .claim(
                        "at most " + fewRanges + " ranges are left when the load has stopped",
                        ranges <= fewRanges,
                        String.format(Locale.ROOT, "%d, %.1f s after its end", ranges, last - stopped));
        trial.run()
                .say(String.format(
                        Locale.ROOT,
                        "%d splits, %d moves and %d merges were committed.",
                        watch.all("split").size(),
                        watch.all("move").size(),
                        watch.all("merge").size()));
    }
}
