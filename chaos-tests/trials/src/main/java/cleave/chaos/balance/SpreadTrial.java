package cleave.chaos.balance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * A load that far exceeds one range: it is spread over the servers, and ranges merge when it stops. Confined to its
 * thread.
 */
final class SpreadTrial {
    private static final String TABLE = "Spread";
    private static final double SPLIT_SECONDS = 5;
    private static final double SPREAD_SECONDS = 15;
    /** Entities per second that clients still request when the load has stopped, to notice faults during the merges. */
    private static final double BACKGROUND = 20;
    /** The cluster has settled when no handoff began for this long. */
    private static final double CALM_SECONDS = 30;

    private static final double MERGE_SECONDS_MAX = 300;
    private static final double UNTIL_SPREAD_SECONDS_MAX = 120;
    private static final double EVEN_SECONDS = 10;
    /** Neighbours merge while their joint size is below half of the size at which a range is split. */
    private static final long MERGED_BYTES_MAX = 128L << 20;

    private final Trial trial;
    private final Shape shape;

    /**
     * The parameters. Immutable.
     *
     * @param load continues until it is spread, if that takes longer
     * @param settings of the balancer
     * @param mergeSettings those that change when the load has stopped
     */
    record Shape(LoadShape load, Map<String, String> settings, Map<String, String> mergeSettings) {
        /** Ranges left at most: one per server, or more if their sizes forbid merging. */
        int fewRanges() {
            return (int) Math.max(3, 1 + 2 * load.rangeBytes() / MERGED_BYTES_MAX);
        }
    }

    SpreadTrial(Trial trial, Shape shape) {
        this.trial = trial;
        this.shape = shape;
    }

    Report run() throws IOException {
        trial.fill(List.of(TABLE), shape.load().rangeBytes(), shape.settings());
        Watch watch = trial.watch(shape.load().warmSeconds());
        PacedLoad load = trial.load(Demand.uniform(TABLE), shape.load());
        int before = watch.latest().ranges();
        watch.until(UNTIL_SPREAD_SECONDS_MAX, () -> watch.latest().owners() == watch.servers() && isSplit(watch));
        OptionalDouble spread = watch.latest().owners() == watch.servers()
                ? OptionalDouble.of(watch.latest().seconds())
                : OptionalDouble.empty();
        watch.until(shape.load().seconds());
        double stopped = watch.now();
        List<Goal> goals = new ArrayList<>();
        goals.add(new Goal("one range at first", before == 1, before + " ranges"));
        goals.add(within("the first split is committed", SPLIT_SECONDS, firstSplit(watch)));
        goals.add(within("ranges lie on all servers", SPREAD_SECONDS, spread));
        goals.add(
                Trial.keptUp("the load", load.entities(), stopped, shape.load().entities()));
        List<String> notes = new ArrayList<>();
        notes.add(evenness(watch, stopped));
        load.pace(BACKGROUND);
        trial.settings(shape.mergeSettings());
        awaitCalm(watch, stopped);
        goals.add(merged(watch, stopped));
        notes.add(
                count(watch, "split") + ", " + count(watch, "move") + ", " + count(watch, "merge") + " were committed");
        return trial.end(
                String.format(
                        Locale.ROOT,
                        "%,.0f entities/s on one range, for %.0f s",
                        shape.load().entities(),
                        stopped),
                stopped,
                goals,
                notes);
    }

    private static boolean isSplit(Watch watch) {
        return watch.committed("split").findAny().isPresent();
    }

    private static OptionalDouble firstSplit(Watch watch) {
        return watch.committed("split").mapToDouble(LeaderEvent::seconds).min();
    }

    private static Goal within(String what, double seconds, OptionalDouble seen) {
        return new Goal(
                String.format(Locale.ROOT, "%s within %.0f s", what, seconds),
                seen.isPresent() && seen.getAsDouble() <= seconds,
                seen.isPresent() ? String.format(Locale.ROOT, "after %.1f s", seen.getAsDouble()) : "never");
    }

    /** The mean load of each server at the end of the load. */
    private static String evenness(Watch watch, double stopped) {
        StringBuilder text = new StringBuilder("at the end of the load servers carry");
        watch.latest().servers().keySet().forEach(server -> {
            double mean = between(watch, stopped - EVEN_SECONDS, stopped)
                    .mapToDouble(moment -> moment.share(server).entities())
                    .average()
                    .orElse(0);
            text.append(String.format(Locale.ROOT, " %,.0f", mean));
        });
        return text.append(" entities/s, in ")
                .append(watch.latest().ranges())
                .append(" ranges")
                .toString();
    }

    private static Stream<Moment> between(Watch watch, double from, double until) {
        return watch.moments().stream().filter(moment -> moment.seconds() >= from && moment.seconds() <= until);
    }

    private void awaitCalm(Watch watch, double stopped) {
        watch.until(
                stopped + MERGE_SECONDS_MAX,
                () -> watch.isIdle() && (watch.latest().ranges() == 1 || isCalm(watch, stopped)));
    }

    /** True if few ranges are left and no handoff has begun for a while. */
    private boolean isCalm(Watch watch, double stopped) {
        double since = Math.max(stopped, lastBegun(watch));
        return watch.latest().ranges() <= shape.fewRanges() && watch.now() - since > CALM_SECONDS;
    }

    private static double lastBegun(Watch watch) {
        return watch.begun(0).mapToDouble(LeaderEvent::seconds).max().orElse(0);
    }

    private Goal merged(Watch watch, double stopped) {
        int ranges = watch.latest().ranges();
        double last =
                watch.committed("merge").mapToDouble(LeaderEvent::seconds).max().orElse(stopped);
        return new Goal(
                "at most " + shape.fewRanges() + " ranges are left when the load has stopped",
                ranges <= shape.fewRanges(),
                String.format(Locale.ROOT, "%d, %.1f s after its end", ranges, last - stopped));
    }

    private static String count(Watch watch, String use) {
        return watch.committed(use).count() + " " + use + "s";
    }
}
