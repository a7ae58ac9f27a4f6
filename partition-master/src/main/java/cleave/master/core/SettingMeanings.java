package cleave.master.core;

import cleave.master.state.BalancerSettings;
import cleave.wire.SettingMeaning;
import java.util.List;
import java.util.Map;

/** What each replicated setting does, and its value in a new cluster, for people. Stateless. */
final class SettingMeanings {
    private static final Map<String, String> TEXTS = Map.ofEntries(
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

    private static final List<SettingMeaning> ALL = BalancerSettings.DEFAULT.texts().entrySet().stream()
            .map(each -> SettingMeaning.newBuilder()
                    .setName(each.getKey())
                    .setStandard(each.getValue())
                    .setText(TEXTS.getOrDefault(each.getKey(), ""))
                    .build())
            .toList();

    private SettingMeanings() {}

    /** In the order of their names. */
    static List<SettingMeaning> all() {
        return ALL;
    }
}
