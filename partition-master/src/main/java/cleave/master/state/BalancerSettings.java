package cleave.master.state;

import cleave.model.UnknownFormat;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The thresholds of the balancer, as the masters replicate them: seeded from the settings of the leader that found none, then
 * changed by operators while everything runs. Immutable. Outside they are texts by name, with the units of {@link Settings};
 * what is no legal name or value throws {@link BadSetting}, which says what is. {@link #MEANINGS} says what each of them does.
 * Shares are parts of 1, and times are in nanoseconds.
 */
public record BalancerSettings(
        boolean split,
        boolean merge,
        boolean move,
        int splitLoad,
        int splitHotSeconds,
        int splitWindowSeconds,
        double splitImbalance,
        int splitHits,
        double splitSpanning,
        double splitChild,
        long splitBytes,
        long mergeWindowNanos,
        double mergeLoad,
        double mergeBytes,
        long mergeAfterSplitNanos,
        long mergeAfterStartNanos,
        long moveRestNanos,
        double moveGap,
        double moveGain,
        int refusals,
        long refusalPauseNanos,
        double popular,
        double movingEnd) {
    private static final int LOAD_MAX = 1_000_000_000;
    private static final int WINDOW_SECONDS_MAX = 600;
    private static final String[] DURATION_UNITS = {"h", "m", "s", "ms", "us", "ns"};
    private static final long[] DURATION_NANOS = {
        3_600_000_000_000L, 60_000_000_000L, 1_000_000_000, 1_000_000, 1_000, 1
    };
    private static final String[] SIZE_UNITS = {"GiB", "MiB", "KiB", "B"};
    private static final long[] SIZE_BYTES = {1L << 30, 1L << 20, 1L << 10, 1};

    public static final BalancerSettings DEFAULT = of(Map.of());

    /** What each setting does, by name, for people. */
    public static final Map<String, String> MEANINGS = Map.ofEntries(
            Map.entry("balancer.split", "Ranges are split."),
            Map.entry("balancer.merge", "Ranges are merged."),
            Map.entry("balancer.move", "Ranges are moved to even out load. A drain moves them anyway."),
            Map.entry("balancer.split-load", "Entities a second above which a range is hot, and is split."),
            Map.entry(
                    "balancer.split-hot-seconds",
                    "A range is split when it was hot in this many of the last seconds of the window."),
            Map.entry("balancer.split-window-seconds", "The window of balancer.split-hot-seconds."),
            Map.entry("balancer.split-imbalance", "The most by which the sides of a split may differ in load."),
            Map.entry("balancer.split-hits", "Samples that a key must have seen before a range is split there."),
            Map.entry("balancer.split-spanning", "The most of the requests that a split may divide in two."),
            Map.entry(
                    "balancer.split-child",
                    "The share of balancer.split-load below which each side of a split should land."),
            Map.entry("balancer.split-bytes", "Size above which a range is split."),
            Map.entry("balancer.merge-window", "Two neighbours merge by their greatest loads of this long."),
            Map.entry(
                    "balancer.merge-load",
                    "The share of balancer.split-load below which these loads together must be for a merge."),
            Map.entry(
                    "balancer.merge-bytes",
                    "The share of balancer.split-bytes below which their sizes together must be for a merge."),
            Map.entry("balancer.merge-after-split", "How long after a split its parts are not merged."),
            Map.entry("balancer.merge-after-start", "How long a new leader merges nothing."),
            Map.entry("balancer.move-rest", "How long after a move a range is not moved again."),
            Map.entry(
                    "balancer.move-gap",
                    "A moved range has at most this share of the gap between its server's load and the other's."),
            Map.entry("balancer.move-gain", "The least by which a move must lower the imbalance of the servers."),
            Map.entry("balancer.refusals", "After this many failed attempts a hot range is left alone for a while."),
            Map.entry(
                    "balancer.refusal-pause",
                    "How long a hot range is left alone after balancer.refusals failed attempts."),
            Map.entry("balancer.popular", "The share of a range's load from which one partition is called popular."),
            Map.entry(
                    "balancer.moving-end",
                    "The share of the inserts beyond the last one from which the end of a range is called moving."));

    public BalancerSettings {
        need(
                splitHotSeconds <= splitWindowSeconds,
                "balancer.split-hot-seconds must not exceed balancer.split-window-seconds");
        need(splitBytes > 0, "balancer.split-bytes must be above 0");
        need(mergeLoad <= 0.5, "balancer.merge-load must be at most 50%, else what was merged is split again");
        need(mergeBytes <= 0.9, "balancer.merge-bytes must be at most 90%, else what was merged is split again");
    }

    /** From texts by name; what is not given is the default. */
    public static BalancerSettings of(Map<String, String> texts) {
        Settings settings = new Settings(texts);
        BalancerSettings read = from(settings);
        settings.refuseUnknown();
        return read;
    }

    /** The part of a role's settings that seeds them. */
    public static BalancerSettings from(Settings settings) {
        return new BalancerSettings(
                settings.flag("balancer.split", true),
                settings.flag("balancer.merge", true),
                settings.flag("balancer.move", true),
                settings.count("balancer.split-load", 2_000, 1, LOAD_MAX),
                settings.count("balancer.split-hot-seconds", 3, 1, WINDOW_SECONDS_MAX),
                settings.count("balancer.split-window-seconds", 4, 1, WINDOW_SECONDS_MAX),
                settings.share("balancer.split-imbalance", "25%"),
                settings.count("balancer.split-hits", 100, 1, LOAD_MAX),
                settings.share("balancer.split-spanning", "50%"),
                settings.share("balancer.split-child", "50%"),
                settings.bytes("balancer.split-bytes", "256MiB"),
                settings.nanos("balancer.merge-window", "5m"),
                settings.share("balancer.merge-load", "25%"),
                settings.share("balancer.merge-bytes", "50%"),
                settings.nanos("balancer.merge-after-split", "10m"),
                settings.nanos("balancer.merge-after-start", "2m"),
                settings.nanos("balancer.move-rest", "30s"),
                settings.share("balancer.move-gap", "50%"),
                settings.share("balancer.move-gain", "5%"),
                settings.count("balancer.refusals", 3, 1, 1_000),
                settings.nanos("balancer.refusal-pause", "1m"),
                settings.share("balancer.popular", "25%"),
                settings.share("balancer.moving-end", "80%"));
    }

    /** All values by name: {@code of(texts())} equals this. */
    public SortedMap<String, String> texts() {
        SortedMap<String, String> texts = new TreeMap<>();
        texts.put("balancer.split", Boolean.toString(split));
        texts.put("balancer.merge", Boolean.toString(merge));
        texts.put("balancer.move", Boolean.toString(move));
        texts.put("balancer.split-load", Integer.toString(splitLoad));
        texts.put("balancer.split-hot-seconds", Integer.toString(splitHotSeconds));
        texts.put("balancer.split-window-seconds", Integer.toString(splitWindowSeconds));
        texts.put("balancer.split-imbalance", percent(splitImbalance));
        texts.put("balancer.split-hits", Integer.toString(splitHits));
        texts.put("balancer.split-spanning", percent(splitSpanning));
        texts.put("balancer.split-child", percent(splitChild));
        texts.put("balancer.split-bytes", quantity(splitBytes, SIZE_BYTES, SIZE_UNITS));
        texts.put("balancer.merge-window", duration(mergeWindowNanos));
        texts.put("balancer.merge-load", percent(mergeLoad));
        texts.put("balancer.merge-bytes", percent(mergeBytes));
        texts.put("balancer.merge-after-split", duration(mergeAfterSplitNanos));
        texts.put("balancer.merge-after-start", duration(mergeAfterStartNanos));
        texts.put("balancer.move-rest", duration(moveRestNanos));
        texts.put("balancer.move-gap", percent(moveGap));
        texts.put("balancer.move-gain", percent(moveGain));
        texts.put("balancer.refusals", Integer.toString(refusals));
        texts.put("balancer.refusal-pause", duration(refusalPauseNanos));
        texts.put("balancer.popular", percent(popular));
        texts.put("balancer.moving-end", percent(movingEnd));
        return texts;
    }

    /**
     * From what was replicated. {@link UnknownFormat} if another version wrote what is no setting here: a replica that passed over
     * it would decide by other settings than its peers. A new setting, or new values of one, belongs to a new feature level.
     */
    static BalancerSettings replicated(Map<String, String> texts) {
        try {
            return of(texts);
        } catch (BadSetting ofAnotherVersion) {
            throw new UnknownFormat(
                    "the replicated settings say: " + ofAnotherVersion.getMessage(),
                    "the settings that its help lists");
        }
    }

    /** These with one changed. */
    public BalancerSettings with(String name, String text) {
        return with(Map.of(name, text));
    }

    /** These with some changed. */
    public BalancerSettings with(Map<String, String> changes) {
        SortedMap<String, String> texts = texts();
        texts.putAll(changes);
        return of(texts);
    }

    private static String percent(double share) {
        return Math.round(share * 100) + "%";
    }

    private static String duration(long nanos) {
        return quantity(nanos, DURATION_NANOS, DURATION_UNITS);
    }

    /** In the largest unit that divides it. */
    private static String quantity(long value, long[] units, String[] names) {
        int unit = 0;
        while (value % units[unit] != 0) {
            unit++;
        }
        return value == 0 ? "0" : value / units[unit] + names[unit];
    }

    private static void need(boolean claim, String message) {
        if (!claim) {
            throw new BadSetting(message);
        }
    }
}
