package cleave.master.policy;

import cleave.master.policy.Decision.Evidence;
import cleave.master.policy.Decision.Reason;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
    private final BalancerMemory.Draft histories;

    SplitRule(BalancerSettings settings, Prediction prediction, BalancerMemory.Draft histories) {
        this.settings = settings;
        this.prediction = prediction;
        this.histories = histories;
    }

    boolean isTooMuch(Load load, RangeHistory history) {
        return history.isHot(settings) || isLarge(load);
    }

    private boolean isLarge(Load load) {
        return load.bytes() > settings.splitBytes();
    }

    /** The decision about a hot or large range; null if there is none now. */
    @Nullable
    Decision judge(Row row, Load load, long now) {
        RangeHistory history = histories.of(row.id());
        boolean hot = history.isHot(settings);
        boolean large = isLarge(load);
        List<String> rejected = new ArrayList<>();
        if (hot) {
            List<Load.Candidate> cuts = cuts(row, load, history, rejected);
            if (!cuts.isEmpty()) {
                return split(Reason.HOT, row, history, cuts, evidence(load, history), rejected);
            }
        }
        if (large) {
            Load.Candidate middle = middle(row, load);
            if (middle != null) {
                return split(Reason.LARGE, row, history, List.of(middle), evidence(load), List.of());
            }
        }
        return hot ? cannotCool(row, load, history, now, rejected) : cannotShrink(row, load, now);
    }

    /** A verdict; but if all inserts go to one end, that end is first split off, once. */
    private @Nullable Decision cannotCool(Row row, Load load, RangeHistory history, long now, List<String> rejected) {
        List<Evidence> evidence = evidence(load, history);
        Load.Hottest hottest = load.hottest();
        if (hottest != null && hottest.part() >= settings.popular() && hottest.samples() >= settings.splitHits()) {
            evidence.add(new Evidence("partition", hottest.first().toString()));
            evidence.add(Evidence.percent("part-of-samples", hottest.part()));
            return verdict(
                    Reason.POPULAR_PARTITION,
                    row,
                    now,
                    "one partition takes most of a hot range, and a partition is never divided: spread its entities over"
                            + " several PartitionKeys",
                    evidence,
                    rejected);
        }
        Load.End end = load.end();
        if (end != null && Math.max(end.behind(), end.before()) >= settings.movingEnd()) {
            return movingEnd(row, history, end, now, evidence, rejected);
        }
        return isLeftAloneFrom(row, now)
                ? reported(Reason.NO_BOUND, row, "no bound is known that divides the load well", evidence, rejected)
                : null;
    }

    private @Nullable Decision movingEnd(
            Row row, RangeHistory history, Load.End end, long now, List<Evidence> evidence, List<String> rejected) {
        boolean appends = end.behind() >= settings.movingEnd();
        Key at = appends ? end.last() : end.first();
        Incarnation owner = row.owner();
        Incarnation coldest = prediction.coldestFree();
        evidence.add(Evidence.percent(
                appends ? "inserted-behind" : "inserted-before", appends ? end.behind() : end.before()));
        evidence.add(new Evidence("at", at.toString()));
        if (!history.endWasSplitOff() && isInside(row, at) && owner != null && coldest != null) {
            List<Incarnation> owners = appends ? List.of(owner, coldest) : List.of(coldest, owner);
            HandoffPlan plan = HandoffPlan.split(row, List.of(at), owners);
            if (!prediction.mayBegin(plan)) {
                return null;
            }
            prediction.add(owner, -Prediction.weight(history));
            prediction.add(coldest, Prediction.weight(history));
            histories.change(row.id(), RangeHistory::splittingEndOff);
            return begin(
                    Reason.MOVING_END,
                    plan,
                    (appends ? "inserts go beyond the last key" : "inserts go below the first key")
                            + ": that end becomes a range of its own, on the least loaded server",
                    evidence,
                    rejected);
        }
        return verdict(
                Reason.MOVING_END,
                row,
                now,
                "inserts go beyond one end of the range, and would all go to one part wherever it is split: begin the"
                        + " PartitionKey with a hash or a bucket",
                evidence,
                rejected);
    }

    private @Nullable Decision verdict(
            Reason reason, Row row, long now, String why, List<Evidence> evidence, List<String> rejected) {
        histories.change(row.id(), history -> history.refused(settings, now));
        return reported(reason, row, why, evidence, rejected);
    }

    private @Nullable Decision reported(
            Reason reason, Row row, String why, List<Evidence> evidence, List<String> rejected) {
        if (histories.of(row.id()).wasReported(reason)) {
            return null;
        }
        histories.change(row.id(), history -> history.reporting(reason));
        return Decision.verdict(reason, row.id(), why, evidence, rejected);
    }

    /** Notes that the range could not be split; true if that happened so often that it rests from now on. */
    private boolean isLeftAloneFrom(Row row, long now) {
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
        return imbalance(List.of(cut)) < SIZE_IMBALANCE_MAX ? cut : null;
    }

    private @Nullable Decision cannotShrink(Row row, Load load, long now) {
        if (load.middle() == null) {
            return null; // Its owner will report it soon.
        }
        return isLeftAloneFrom(row, now)
                ? reported(
                        Reason.NO_BOUND,
                        row,
                        "one partition takes most of its bytes, and a partition is never divided: a takeover will take long",
                        evidence(load),
                        List.of())
                : null;
    }

    private @Nullable Decision split(
            Reason reason,
            Row row,
            RangeHistory history,
            List<Load.Candidate> cuts,
            List<Evidence> evidence,
            List<String> rejected) {
        Incarnation owner = row.owner();
        if (owner == null || !prediction.mayTakePart(owner)) {
            return null;
        }
        double weight = Prediction.weight(history);
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
        evidence.add(new Evidence("at", at.toString()));
        String why = reason == Reason.HOT
                ? "its load exceeds the threshold, and divides into " + owners.size() + " parts"
                : "so large that a takeover would take long";
        return begin(reason, HandoffPlan.split(row, at, owners), why, evidence, rejected);
    }

    /** The present owner, unless another server stays far below it even with this part. */
    private Incarnation taker(Incarnation owner, double part) {
        Incarnation coldest = prediction.coldestFree();
        return coldest != null && prediction.carried(coldest) + part < prediction.carried(owner) + part / 2
                ? coldest
                : owner;
    }

    private Decision begin(
            Reason reason, HandoffPlan plan, String why, List<Evidence> evidence, List<String> rejected) {
        prediction.begins(plan);
        return Decision.handoff(reason, plan, why, evidence, rejected);
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
        List<Load.Candidate> cuts = divide(usable, parts, Math.min(1, least));
        if (imbalance(cuts) >= imbalanceMax) {
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
        return ascending(usable.values());
    }

    /** Each bound was sampled by different requests, so the share to the left of one may exceed that of the next. */
    private static List<Load.Candidate> ascending(Collection<Load.Candidate> byKey) {
        List<Load.Candidate> ascending = new ArrayList<>();
        double left = 0;
        for (Load.Candidate each : byKey) {
            left = Math.max(left, each.left());
            ascending.add(new Load.Candidate(each.at(), left, each.spanning(), each.hits()));
        }
        return ascending;
    }

    private static boolean isInside(Row row, Key at) {
        KeyRange range = row.range();
        return at.isBound() && range.contains(at) && !range.start().equals(at);
    }

    /**
     * The bounds that divide the load most evenly (by the sum of the squares) into at most that many parts, none of which has less
     * than a share of it.
     */
    private static List<Load.Candidate> divide(List<Load.Candidate> usable, int parts, double least) {
        int end = usable.size() + 1;
        double[] at = new double[end + 1];
        for (int i = 1; i < end; i++) {
            at[i] = usable.get(i - 1).left();
        }
        at[end] = 1;
        double[][] squares = new double[parts + 1][end + 1];
        int[][] before = new int[parts + 1][end + 1];
        for (double[] row : squares) {
            Arrays.fill(row, Double.POSITIVE_INFINITY);
        }
        squares[0][0] = 0;
        int best = 1;
        for (int part = 1; part <= parts; part++) {
            for (int i = 1; i <= end; i++) {
                for (int from = 0; from < i; from++) {
                    double size = at[i] - at[from];
                    double sum = squares[part - 1][from] + size * size;
                    if (size >= least && sum < squares[part][i]) {
                        squares[part][i] = sum;
                        before[part][i] = from;
                    }
                }
            }
            best = squares[part][end] < squares[best][end] ? part : best;
        }
        ArrayDeque<Load.Candidate> cuts = new ArrayDeque<>();
        int i = end;
        for (int part = best; part > 1; part--) {
            i = before[part][i];
            cuts.addFirst(usable.get(i - 1));
        }
        return List.copyOf(cuts);
    }

    private static double largest(List<Load.Candidate> cuts) {
        double from = 0;
        double largest = 0;
        for (Load.Candidate cut : cuts) {
            largest = Math.max(largest, cut.left() - from);
            from = cut.left();
        }
        return Math.max(largest, 1 - from);
    }

    /** By how much the largest part exceeds the others together, as a share of all. */
    private static double imbalance(List<Load.Candidate> cuts) {
        return 2 * largest(cuts) - 1;
    }

    private List<Evidence> evidence(Load load) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of("bytes", (double) load.bytes()));
        evidence.add(Evidence.of("threshold-bytes", (double) settings.splitBytes()));
        return evidence;
    }

    private List<Evidence> evidence(Load load, RangeHistory history) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of("entities-per-second", load.entities()));
        evidence.add(Evidence.of("over-30s", history.carried()));
        evidence.add(Evidence.of("threshold", settings.splitLoad()));
        evidence.add(Evidence.of("hot-seconds", history.hotSeconds()));
        return evidence;
    }
}
