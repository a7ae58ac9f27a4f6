package cleave.master.policy;

import cleave.master.policy.Decision.Evidence;
import cleave.master.policy.Decision.Reason;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where and whether a range is split; or why it cannot be. Stateless but for what it notes in the range's history.
 *
 * <p>The bounds are where the load divides into equal parts, not the bytes. A split that leaves most of the load on one side helps
 * nobody, and would be followed by the next: then it is a verdict instead.
 */
final class SplitRule {
    /** More parts in one handoff than this would make its switch long. */
    static final int PARTS_MAX = 8;

    private final BalancerSettings settings;
    private final Prediction prediction;

    SplitRule(BalancerSettings settings, Prediction prediction) {
        this.settings = settings;
        this.prediction = prediction;
    }

    /** What becomes of a hot or large range; null: nothing now. */
    @Nullable
    Decision judge(Row row, Load load, RangeHistory history, long now) {
        boolean hot = history.isHot(settings) && load.entities() > settings.splitLoad();
        boolean large = load.bytes() > settings.splitBytes();
        if (!hot && !large) {
            history.cooled(settings);
            return null;
        }
        return hot ? hot(row, load, history, now) : large(row, load, history, now);
    }

    private @Nullable Decision hot(Row row, Load load, RangeHistory history, long now) {
        List<String> rejected = new ArrayList<>();
        List<Load.Candidate> cuts = cuts(row, load, rejected);
        List<Evidence> evidence = evidence(load, history);
        if (!cuts.isEmpty()) {
            return split(Reason.HOT, row, history, cuts, evidence, rejected);
        }
        Load.Hottest hottest = load.hottest();
        if (hottest != null && hottest.part() >= settings.popular() && hottest.samples() >= settings.splitHits()) {
            evidence.add(new Evidence("partition", hottest.first().toString()));
            evidence.add(Evidence.percent("part-of-samples", hottest.part()));
            return verdict(
                    Reason.POPULAR_PARTITION,
                    row,
                    history,
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
        return history.refused(settings, now)
                ? told(
                        Reason.NO_BOUND,
                        row,
                        history,
                        "no bound is known that divides the load well",
                        evidence,
                        rejected)
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
            history.splitsEndOff();
            return begin(
                    Reason.MOVING_END,
                    plan,
                    (appends ? "inserts go beyond the last key" : "inserts go below the first key")
                            + ": that end gets a range of its own, at the server that carries least",
                    evidence,
                    rejected);
        }
        return verdict(
                Reason.MOVING_END,
                row,
                history,
                now,
                "inserts go beyond one end of the range, and wherever it is split they all go to one part: begin the"
                        + " PartitionKey with a hash or a bucket",
                evidence,
                rejected);
    }

    private @Nullable Decision verdict(
            Reason reason,
            Row row,
            RangeHistory history,
            long now,
            String why,
            List<Evidence> evidence,
            List<String> rejected) {
        history.refused(settings, now);
        return told(reason, row, history, why, evidence, rejected);
    }

    private static @Nullable Decision told(
            Reason reason, Row row, RangeHistory history, String why, List<Evidence> evidence, List<String> rejected) {
        return history.judged(reason) ? Decision.verdict(reason, row.id(), why, evidence, rejected) : null;
    }

    private @Nullable Decision large(Row row, Load load, RangeHistory history, long now) {
        Load.Candidate middle = null;
        for (Load.Candidate each : load.candidates()) {
            boolean better = middle == null || imbalance(each) < imbalance(middle);
            if (isInside(row, each.at()) && better) {
                middle = each;
            }
        }
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of("bytes", (double) load.bytes()));
        evidence.add(Evidence.of("threshold-bytes", (double) settings.splitBytes()));
        if (middle == null) {
            return history.refused(settings, now)
                    ? told(Reason.NO_BOUND, row, history, "no bound within the range is known", evidence, List.of())
                    : null;
        }
        return split(Reason.LARGE, row, history, List.of(middle), evidence, List.of());
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
                ? "asked for more than one range should be: its load divides into " + owners.size() + " parts"
                : "so large that a takeover would take long";
        return begin(reason, HandoffPlan.split(row, at, owners), why, evidence, rejected);
    }

    /** The owner, unless another server stays far below it even with this part. */
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

    /** The bounds that divide the load into as many parts as it takes, ascending; none if no division is good enough. */
    private List<Load.Candidate> cuts(Row row, Load load, List<String> rejected) {
        List<Load.Candidate> usable = usable(row, load, rejected);
        double child = settings.splitLoad() * settings.splitChild();
        int parts = (int) Math.min(PARTS_MAX, Math.max(2, Math.ceil(load.entities() / child)));
        List<Load.Candidate> cuts = divide(usable, parts);
        if (!isGood(cuts) && parts > 2) {
            cuts = divide(usable, 2);
        }
        if (!isGood(cuts)) {
            rejected.add(usable.size() + " bounds with enough hits, none of which divides the load well");
            return List.of();
        }
        return cuts;
    }

    private List<Load.Candidate> usable(Row row, Load load, List<String> rejected) {
        List<Load.Candidate> usable = new ArrayList<>();
        int unseen = 0;
        int spanned = 0;
        for (Load.Candidate each : load.candidates()) {
            boolean seen = each.hits() >= settings.splitHits();
            boolean divides = each.spanning() < settings.splitSpanning();
            if (seen && divides && isInside(row, each.at())) {
                usable.add(each);
            }
            unseen += seen ? 0 : 1;
            spanned += divides ? 0 : 1;
        }
        if (unseen > 0) {
            rejected.add(unseen + " bounds seen by fewer than " + settings.splitHits() + " requests");
        }
        if (spanned > 0) {
            rejected.add(spanned + " bounds that too many scans go over");
        }
        return usable;
    }

    private static boolean isInside(Row row, Key at) {
        KeyRange range = row.range();
        return at.isBound() && range.contains(at) && !range.start().equals(at);
    }

    private List<Load.Candidate> divide(List<Load.Candidate> usable, int parts) {
        List<Load.Candidate> cuts = new ArrayList<>();
        TreeSet<Key> taken = new TreeSet<>();
        for (int i = 1; i < parts; i++) {
            double wanted = (double) i / parts;
            Load.Candidate nearest = null;
            for (Load.Candidate each : usable) {
                if (nearest == null || Math.abs(each.left() - wanted) < Math.abs(nearest.left() - wanted)) {
                    nearest = each;
                }
            }
            boolean near = nearest != null && Math.abs(nearest.left() - wanted) <= 0.5 / parts;
            boolean behind = nearest != null && (taken.isEmpty() || taken.last().compareTo(nearest.at()) < 0);
            if (nearest != null && near && behind) {
                taken.add(nearest.at());
                cuts.add(nearest);
            }
        }
        return cuts;
    }

    /** True if no part is left with much more than half of the load. */
    private boolean isGood(List<Load.Candidate> cuts) {
        double from = 0;
        double largest = 0;
        for (Load.Candidate cut : cuts) {
            largest = Math.max(largest, cut.left() - from);
            from = cut.left();
        }
        largest = Math.max(largest, 1 - from);
        return 2 * largest - 1 < settings.splitImbalance();
    }

    private static double imbalance(Load.Candidate each) {
        return Math.abs(2 * each.left() - 1);
    }

    private List<Evidence> evidence(Load load, RangeHistory history) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of("entities-per-second", load.entities()));
        evidence.add(Evidence.of("threshold", settings.splitLoad()));
        evidence.add(Evidence.of("hot-seconds", history.hotSeconds()));
        return evidence;
    }
}
