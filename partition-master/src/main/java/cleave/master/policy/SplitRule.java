package cleave.master.policy;

import cleave.master.policy.Check.Said;
import cleave.master.policy.Decision.Reason;
import cleave.master.policy.HandoffPlan.Kind;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether and where a range is split, or why it cannot be. Confined to one tick of the balancer.
 *
 * <p>A hot range is split where its load divides into equal parts, a large one where its bytes do. If every split would
 * leave most of it on one side, which would only be followed by the next split, the result is a verdict instead.
 */
final class SplitRule {
    /** Maximum number of parts; more would make the switch long. */
    static final int PARTS_MAX = 8;
    /** A bound that leaves less than an eighth of the bytes on one side makes takeovers no shorter. */
    private static final double SIZE_IMBALANCE_MAX = 0.75;

    /** A part of a split carries at least this share of the load under which two neighbours are merged, so two parts are not merged. */
    private static final double PART_OF_MERGE_LOAD = 0.6;

    private final BalancerSettings settings;
    private final Prediction prediction;
    private final Draft histories;
    private final long now;
    /** About the settings: whether anything is split at all. */
    private final List<Check<BalancerSettings>> switches = List.of(new Check<>(
            WhyNot.Reason.OFF,
            each -> !each.split(),
            each -> Said.of("nothing is split, because balancer.split is off")));

    /** Against a range that is free to be split. */
    private final List<Check<OwnedRange>> obstacles;

    /** Against a range that is hot or large. */
    private final List<Check<OwnedRange>> idle = List.of(
            new Check<>(WhyNot.Reason.NOT_HOT, this::isCool, this::notHot),
            new Check<>(WhyNot.Reason.HOT_TOO_SHORT, this::isHotTooShort, this::hotTooShort));

    /** Against a division that was found. */
    private final List<Check<OwnedRange>> limits;

    /** What to do about a range that is hot or large. */
    private enum Remedy {
        DIVIDE,
        SPLIT_END_OFF,
        /** A verdict. */
        NAME,
        /** A verdict if the range is refused for the last time. */
        LEAVE_ALONE,
        /** More will be known soon. */
        WAIT
    }

    /**
     * The remedy, and why.
     *
     * @param obstacle what stands against a split; null if there is one
     * @param cuts where it is divided; empty if it is not
     */
    private record Finding(
            Remedy remedy,
            Reason reason,
            WhyNot.@Nullable Reason obstacle,
            List<Load.Candidate> cuts,
            String why,
            List<Figure> evidence,
            List<String> rejected) {
        static Finding division(Reason reason, List<Load.Candidate> cuts, String why, List<Figure> evidence) {
            return new Finding(Remedy.DIVIDE, reason, null, cuts, why, evidence, List.of());
        }

        static Finding without(
                Remedy remedy, Reason reason, WhyNot.@Nullable Reason obstacle, String why, List<Figure> evidence) {
            return new Finding(remedy, reason, obstacle, List.of(), why, evidence, List.of());
        }

        Finding rejecting(List<String> more) {
            return new Finding(remedy, reason, obstacle, cuts, why, evidence, more);
        }
    }

    SplitRule(ClusterView view, Prediction prediction, Draft histories, long now) {
        this.settings = view.settings();
        this.prediction = prediction;
        this.histories = histories;
        this.now = now;
        this.obstacles = List.of(
                RangeChecks.notServed(),
                RangeChecks.busy(view, prediction),
                RangeChecks.cooling(now),
                RangeChecks.draining(),
                RangeChecks.aside());
        this.limits = List.of(RangeChecks.budget(prediction));
    }

    boolean isOn() {
        return !Check.anyStands(switches, settings);
    }

    /** True if it may be split, should that be necessary. */
    boolean isFree(OwnedRange asked) {
        return !Check.anyStands(obstacles, asked);
    }

    boolean isTooMuch(OwnedRange asked) {
        return !Check.anyStands(idle, asked);
    }

    /** Everything that stands against a split of the range. */
    List<WhyNot> whyNot(OwnedRange asked) {
        List<WhyNot> standing = new ArrayList<>(Check.standing(Kind.SPLIT, switches, settings));
        standing.addAll(Check.standing(Kind.SPLIT, obstacles, asked));
        Load load = asked.load();
        if (load == null || !isTooMuch(asked)) {
            standing.addAll(Check.standing(Kind.SPLIT, idle, asked));
            return standing;
        }
        Finding found = found(asked.row(), load, asked.history());
        WhyNot.Reason obstacle = found.obstacle();
        if (obstacle == null) {
            standing.addAll(Check.standing(Kind.SPLIT, limits, asked));
        } else {
            String but = found.rejected().isEmpty() ? "" : " (" + String.join("; ", found.rejected()) + ")";
            standing.add(new WhyNot(Kind.SPLIT, obstacle, found.why() + but, found.evidence(), null));
        }
        return standing;
    }

    private boolean isLarge(@Nullable Load load) {
        return isLarge(load, settings);
    }

    static boolean isLarge(@Nullable Load load, BalancerSettings settings) {
        return load != null && load.bytes() > settings.splitBytes();
    }

    private boolean isCool(OwnedRange asked) {
        return !isLarge(asked.load()) && !asked.history().isAboveSplitLoad(settings);
    }

    private boolean isHotTooShort(OwnedRange asked) {
        return !isLarge(asked.load())
                && asked.history().isAboveSplitLoad(settings)
                && !asked.history().isHot(settings);
    }

    private Said notHot(OwnedRange asked) {
        RangeHistory history = asked.history();
        long bytes = asked.load() == null ? 0 : asked.load().bytes();
        List<Figure> figures = evidence(history.entities(), history);
        figures.addAll(evidence(bytes));
        return new Said(
                "it carries " + Check.rate(history.entities()) + " (" + Math.round(history.carried())
                        + " over 30 s), and a hot range more than " + settings.splitLoad() + "; and holds "
                        + Check.size((double) bytes) + ", and a large one more than "
                        + Check.size((double) settings.splitBytes()),
                figures,
                null);
    }

    private Said hotTooShort(OwnedRange asked) {
        RangeHistory history = asked.history();
        List<Figure> figures = evidence(history.entities(), history);
        figures.add(Figure.count("hot-seconds-needed", settings.splitHotSeconds()));
        return new Said(
                "it carries " + Check.rate(history.entities()) + ", more than " + settings.splitLoad()
                        + ", but was hot in only " + history.hotSeconds() + " of the last "
                        + settings.splitWindowSeconds() + " s, and " + settings.splitHotSeconds() + " are needed",
                figures,
                null);
    }

    /** The decision about a hot or large range that is free; null if there is none now. */
    @Nullable
    Decision judge(OwnedRange asked) {
        Row row = asked.row();
        Load load = asked.load();
        if (load == null) {
            return null; // It would not be free.
        }
        RangeHistory history = asked.history();
        Finding found = found(row, load, history);
        return switch (found.remedy()) {
            case DIVIDE -> Check.anyStands(limits, asked) ? null : divided(asked, found);
            case SPLIT_END_OFF -> Check.anyStands(limits, asked) ? null : endSplitOff(asked, found);
            case NAME -> {
                histories.change(row.id(), refused -> refused.refused(settings, now));
                yield reported(row, found);
            }
            case LEAVE_ALONE -> isLeftAloneFrom(row) ? reported(row, found) : null;
            case WAIT -> null;
        };
    }

    private Finding found(Row row, Load load, RangeHistory history) {
        boolean hot = history.isHot(settings);
        List<String> rejected = new ArrayList<>();
        if (hot) {
            List<Load.Candidate> cuts = cuts(row, load, history, rejected);
            if (!cuts.isEmpty()) {
                return Finding.division(
                                Reason.HOT,
                                cuts,
                                "its load exceeds the threshold, and divides into " + (cuts.size() + 1) + " parts",
                                evidence(load.entities(), history))
                        .rejecting(rejected);
            }
        }
        if (isLarge(load)) {
            Load.Candidate middle = middle(row, load);
            if (middle != null) {
                return Finding.division(
                        Reason.LARGE,
                        List.of(middle),
                        "so large that a takeover would take long",
                        evidence(load.bytes()));
            }
        }
        return hot ? cannotCool(row, load, history).rejecting(rejected) : cannotShrink(load);
    }

    /** A verdict; but if all inserts go to one end, that end is first split off, once. */
    private Finding cannotCool(Row row, Load load, RangeHistory history) {
        List<Figure> evidence = evidence(load.entities(), history);
        Load.Hottest hottest = load.hottest();
        if (hottest != null && hottest.part() >= settings.popular() && hottest.samples() >= settings.splitHits()) {
            evidence.add(Figure.text("partition", hottest.first()));
            evidence.add(Figure.percent("part-of-samples", hottest.part()));
            return Finding.without(
                    Remedy.NAME,
                    Reason.POPULAR_PARTITION,
                    WhyNot.Reason.ONE_PARTITION,
                    "one partition takes most of a hot range, and a partition is never divided: spread its entities over"
                            + " several PartitionKeys",
                    evidence);
        }
        Load.End end = load.end();
        return end != null && Math.max(end.behind(), end.before()) >= settings.movingEnd()
                ? movingEnd(row, history, end, evidence)
                : Finding.without(
                        Remedy.LEAVE_ALONE,
                        Reason.NO_BOUND,
                        WhyNot.Reason.NO_BOUND,
                        "no bound is known that divides the load well",
                        evidence);
    }

    private Finding movingEnd(Row row, RangeHistory history, Load.End end, List<Figure> evidence) {
        boolean appends = isAppendedTo(end);
        Key at = appends ? end.last() : end.first();
        evidence.add(
                Figure.percent(appends ? "inserted-behind" : "inserted-before", appends ? end.behind() : end.before()));
        evidence.add(Figure.text("at", at));
        if (!history.endWasSplitOff() && isInside(row, at) && prediction.coldestFree() != null) {
            return Finding.without(
                    Remedy.SPLIT_END_OFF,
                    Reason.MOVING_END,
                    null,
                    (appends ? "inserts go beyond the last key" : "inserts go below the first key")
                            + ": that end becomes a range of its own, on the least loaded server",
                    evidence);
        }
        return Finding.without(
                Remedy.NAME,
                Reason.MOVING_END,
                WhyNot.Reason.MOVING_END,
                "inserts go beyond one end of the range, and would all go to one part wherever it is split: begin the"
                        + " PartitionKey with a hash or a bucket",
                evidence);
    }

    private boolean isAppendedTo(Load.End end) {
        return end.behind() >= settings.movingEnd();
    }

    private @Nullable Decision endSplitOff(OwnedRange asked, Finding found) {
        Row row = asked.row();
        Load.End end = asked.load() == null ? null : asked.load().end();
        Incarnation coldest = prediction.coldestFree();
        if (end == null || coldest == null) {
            return null; // The remedy would be another one.
        }
        Incarnation owner = asked.owner();
        boolean appends = isAppendedTo(end);
        List<Incarnation> owners = appends ? List.of(owner, coldest) : List.of(coldest, owner);
        prediction.add(owner, -Prediction.weight(asked.history()));
        prediction.add(coldest, Prediction.weight(asked.history()));
        histories.change(row.id(), RangeHistory::splittingEndOff);
        Key at = appends ? end.last() : end.first();
        return begin(HandoffPlan.split(row, List.of(at), owners), found, found.evidence());
    }

    private @Nullable Decision reported(Row row, Finding found) {
        Reason reason = found.reason();
        if (histories.of(row.id()).wasReported(reason)) {
            return null;
        }
        histories.change(row.id(), history -> history.reporting(reason));
        return Decision.verdict(reason, row.id(), found.why(), found.evidence(), found.rejected());
    }

    /** Notes that the range could not be split; true if that happened so often that it rests from now on. */
    private boolean isLeftAloneFrom(Row row) {
        boolean last = histories.of(row.id()).isAtLastRefusal(settings);
        histories.change(row.id(), history -> history.refused(settings, now));
        return last;
    }

    /** The bound that halves the bytes; null if there is none or none is known. */
    private static Load.@Nullable Candidate middle(Row row, Load load) {
        Load.Middle middle = load.middle();
        Key at = middle == null ? null : middle.at();
        if (middle == null || at == null || !isInside(row, at)) {
            return null;
        }
        // The load of either half is assumed to be in proportion to its bytes.
        Load.Candidate cut = new Load.Candidate(at, middle.left(), 0, 0);
        return Division.imbalance(List.of(cut)) < SIZE_IMBALANCE_MAX ? cut : null;
    }

    private Finding cannotShrink(Load load) {
        return load.middle() == null
                ? Finding.without(
                        Remedy.WAIT,
                        Reason.LARGE,
                        WhyNot.Reason.SIZE_UNKNOWN,
                        "it is large, and its owner has not reported yet where its bytes halve",
                        evidence(load.bytes()))
                : Finding.without(
                        Remedy.LEAVE_ALONE,
                        Reason.NO_BOUND,
                        WhyNot.Reason.NO_BOUND,
                        "one partition takes most of its bytes, and a partition is never divided: a takeover will take long",
                        evidence(load.bytes()));
    }

    private Decision divided(OwnedRange asked, Finding found) {
        Incarnation owner = asked.owner();
        List<Load.Candidate> cuts = found.cuts();
        double weight = Prediction.weight(asked.history());
        prediction.add(owner, -weight);
        List<Incarnation> owners = new ArrayList<>();
        List<Key> at = new ArrayList<>();
        double from = 0;
        for (int i = 0; i <= cuts.size(); i++) {
            double to = i < cuts.size() ? cuts.get(i).left() : 1;
            double part = Math.max(0, to - from) * weight;
            Incarnation taker = taker(owner, part);
            prediction.add(taker, part);
            owners.add(taker);
            if (i < cuts.size()) {
                at.add(cuts.get(i).at());
            }
            from = to;
        }
        List<Figure> evidence = new ArrayList<>(found.evidence());
        evidence.add(Figure.text("at", at));
        return begin(HandoffPlan.split(asked.row(), at, owners), found, evidence);
    }

    /** The present owner, unless another server stays far below it even with this part. */
    private Incarnation taker(Incarnation owner, double part) {
        Incarnation coldest = prediction.coldestFree();
        return coldest != null && prediction.carried(coldest) + part < prediction.carried(owner) + part / 2
                ? coldest
                : owner;
    }

    private Decision begin(HandoffPlan plan, Finding found, List<Figure> evidence) {
        prediction.begins(plan);
        return Decision.handoff(found.reason(), plan, found.why(), evidence, found.rejected());
    }

    /** The bounds that divide the load into as many parts as needed, ascending; none if no division is good enough. */
    private List<Load.Candidate> cuts(Row row, Load load, RangeHistory history, List<String> rejected) {
        List<Load.Candidate> usable = usable(row, load, rejected);
        double child = settings.splitLoad() * settings.splitChild();
        int parts = (int) Math.min(PARTS_MAX, Math.max(2, Math.ceil(load.entities() / child)));
        // A range that could not be divided must now divide clearly, or else some samples would one day suggest it by
        // chance.
        double imbalanceMax = history.wasLeftAlone() ? 0 : settings.splitImbalance();
        double least = PART_OF_MERGE_LOAD * settings.mergeLoad() * settings.splitLoad() / Math.max(1, load.entities());
        List<Load.Candidate> cuts = Division.divide(usable, parts, Math.min(1, least));
        if (Division.imbalance(cuts) >= imbalanceMax) {
            rejected.add(usable.size() + " bounds with enough hits, none of which divides the load well");
            return List.of();
        }
        return cuts;
    }

    /**
     * The candidates with enough hits that would divide few enough requests; ascending, as are their shares to the
     * left.
     */
    private List<Load.Candidate> usable(Row row, Load load, List<String> rejected) {
        TreeMap<Key, Load.Candidate> usable = new TreeMap<>();
        int unseen = 0;
        int spanned = 0;
        for (Load.Candidate each : load.candidates()) {
            boolean seen = each.hits() >= settings.splitHits();
            boolean divides = each.spanning() < settings.splitSpanning();
            if (seen && divides && isInside(row, each.at())) {
                usable.put(each.at(), each);
            }
            unseen += seen ? 0 : 1;
            spanned += divides ? 0 : 1;
        }
        if (unseen > 0) {
            rejected.add(unseen + " bounds seen by fewer than " + settings.splitHits() + " requests");
        }
        if (spanned > 0) {
            rejected.add(spanned + " bounds that too many scans cross");
        }
        return Division.ascending(usable.values());
    }

    private static boolean isInside(Row row, Key at) {
        KeyRange range = row.range();
        return at.isBound() && range.contains(at) && !range.start().equals(at);
    }

    private List<Figure> evidence(long bytes) {
        List<Figure> evidence = new ArrayList<>();
        evidence.add(Figure.bytes("bytes", (double) bytes));
        evidence.add(Figure.bytes("threshold-bytes", (double) settings.splitBytes()));
        return evidence;
    }

    private List<Figure> evidence(double entities, RangeHistory history) {
        List<Figure> evidence = new ArrayList<>();
        evidence.add(Figure.entities("entities-per-second", entities));
        evidence.add(Figure.entities("over-30s", history.carried()));
        evidence.add(Figure.entities("threshold", settings.splitLoad()));
        evidence.add(Figure.count("hot-seconds", history.hotSeconds()));
        return evidence;
    }
}
