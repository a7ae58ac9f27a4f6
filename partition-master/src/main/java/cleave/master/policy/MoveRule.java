package cleave.master.policy;

import cleave.master.policy.Check.Said;
import cleave.master.policy.Decision.Reason;
import cleave.master.policy.HandoffPlan.Kind;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which range moves from a heavily loaded server to the least loaded one. Confined to one tick of the balancer.
 *
 * <p>A range is moved only if its load is at most half of the gap between the two: a larger one would take the hot spot
 * along, and be moved back. A gap that may be noise moves nothing.
 */
final class MoveRule {
    /** A gap counts if it is at least this part of the busier server's load. */
    private static final double GAP_SHARE = 0.15;
    /**
     * And at least this part of the load of one hot range: below that a move is not worth its switch. So nothing moves
     * under a small load, as after the start of a cluster.
     */
    private static final double GAP_OF_SPLIT_LOAD = 0.25;
    /** A server that joined within this time is named as the reason of moves to it. */
    private static final long JOINED_NANOS = 120_000_000_000L;

    private final ClusterView view;
    private final BalancerSettings settings;
    private final Prediction prediction;
    private final Draft histories;
    private final long now;
    /** About the settings: whether anything is moved at all. */
    private final List<Check<BalancerSettings>> switches = List.of(new Check<>(
            WhyNot.Reason.OFF,
            each -> !each.move(),
            each -> Said.of("nothing is moved, because balancer.move is off")));
    /** Against a server that gives a range away. */
    private final List<Check<Gap>> even;
    /** Against a range that is free to be moved. */
    private final List<Check<OwnedRange>> obstacles;
    /** Against a range that is light enough for the gap. */
    private final List<Check<Weighed>> heavy;
    /** Against a range that is heavy enough for the gap. */
    private final List<Check<Weighed>> light;

    private final Ranges ranges;
    /** The server that would get the next range. */
    private @Nullable Incarnation target;

    /** What one server carries more than the least loaded one; that is null if no server may get a range. */
    private record Gap(Incarnation from, @Nullable Incarnation to, double carriedFrom, double carriedTo) {
        double width() {
            return carriedFrom - carriedTo;
        }
    }

    /** A range of the server, and what it carries. */
    private record Weighed(double weight, Gap gap) {}

    /** @param stays true for a range that must not be moved because of its load */
    MoveRule(
            ClusterView view,
            Ranges ranges,
            Prediction prediction,
            Draft histories,
            Predicate<OwnedRange> stays,
            long now) {
        this.view = view;
        this.ranges = ranges;
        this.settings = view.settings();
        this.prediction = prediction;
        this.histories = histories;
        this.now = now;
        even = List.of(
                new Check<>(
                        WhyNot.Reason.DRAINING,
                        gap -> isDraining(gap.from()),
                        gap -> Said.of("its owner, " + gap.from() + ", is draining, which moves it elsewhere anyway")),
                new Check<>(
                        WhyNot.Reason.NO_TARGET,
                        gap -> gap.to() == null,
                        gap -> Said.of(
                                "no live server may be given a range now: each is draining, short of disk, off by its clock, or"
                                        + " takes part in as many handoffs as it may")),
                new Check<>(WhyNot.Reason.EVEN, gap -> gap.to() != null && isNoise(gap), this::noise),
                new Check<>(
                        WhyNot.Reason.BUDGET,
                        gap -> !prediction.mayTakePart(gap.from()),
                        gap -> Said.of(
                                "its owner, " + gap.from() + ", takes part in " + prediction.handoffsOf(gap.from())
                                        + " handoffs, the most at a time",
                                Figure.count("handoffs", prediction.handoffsOf(gap.from())))));
        obstacles = List.of(
                RangeChecks.busy(view, prediction),
                RangeChecks.notServed(),
                new Check<>(
                        WhyNot.Reason.TO_BE_MERGED,
                        stays,
                        range -> Said.of("it is about to be merged with a neighbour")),
                RangeChecks.cooling(now),
                RangeChecks.movedLately(view, now));
        heavy = List.of(new Check<>(
                WhyNot.Reason.TOO_HOT,
                this::isTooHot,
                range -> weighed(range, "more than " + Math.round(settings.moveGap() * 100) + "% of that")));
        light = List.of(new Check<>(
                WhyNot.Reason.TOO_LITTLE, this::isTooLittle, range -> weighed(range, "too little to narrow that")));
    }

    private double noiseMax(Gap gap) {
        return Math.max(GAP_SHARE * gap.carriedFrom(), GAP_OF_SPLIT_LOAD * settings.splitLoad());
    }

    private boolean isNoise(Gap gap) {
        return gap.width() <= noiseMax(gap);
    }

    private boolean isTooHot(Weighed range) {
        return range.weight() > settings.moveGap() * range.gap().width();
    }

    private boolean isTooLittle(Weighed range) {
        return 2 * range.weight() < settings.moveGain() * range.gap().width();
    }

    private Said noise(Gap gap) {
        if (gap.from().equals(gap.to())) {
            return Said.of("its owner, " + gap.from() + ", is the least loaded server");
        }
        return new Said(
                gap.from() + " carries " + Check.rate(gap.carriedFrom()) + ", and the least loaded " + gap.to() + " "
                        + Check.rate(gap.carriedTo()) + ": a difference of no more than " + Check.rate(noiseMax(gap))
                        + " moves nothing",
                evidence(gap),
                null);
    }

    private boolean isDraining(Incarnation server) {
        ClusterView.Server its = view.server(server);
        return its == null || its.draining();
    }

    private Said weighed(Weighed range, String but) {
        Gap gap = range.gap();
        List<Figure> figures = new ArrayList<>(evidence(gap));
        figures.add(Figure.entities("range-carries", range.weight()));
        return new Said(
                gap.from() + " carries " + Check.rate(gap.width()) + " more than " + gap.to() + ", and the range "
                        + Check.rate(range.weight()) + ": " + but,
                figures,
                null);
    }

    /** True if anything is moved because of loads. */
    boolean isOn() {
        return !Check.anyStands(switches, settings);
    }

    /** The next move that narrows the gap between servers; null if there is none. */
    @Nullable
    Decision next() {
        target = prediction.coldestFree();
        for (Incarnation from : prediction.hottest()) {
            Gap gap = gap(from);
            Decision decision = Check.anyStands(even, gap) ? null : moved(gap);
            if (decision != null) {
                return decision;
            }
        }
        return null;
    }

    private Gap gap(Incarnation from) {
        Incarnation to = target;
        return new Gap(from, to, prediction.carried(from), to == null ? 0 : prediction.carried(to));
    }

    /** Everything that stands against a move of the range, after the last move of the tick. */
    List<WhyNot> whyNot(OwnedRange asked) {
        if (!isOn()) {
            return Check.standing(Kind.MOVE, switches, settings); // No target was looked for.
        }
        Gap gap = gap(asked.owner());
        List<WhyNot> first = Check.standing(Kind.MOVE, even, gap);
        List<WhyNot> standing = new ArrayList<>(first);
        standing.addAll(Check.standing(Kind.MOVE, obstacles, asked));
        if (first.isEmpty()) {
            Weighed weighed = new Weighed(Prediction.weight(asked.history()), gap);
            standing.addAll(Check.standing(Kind.MOVE, heavy, weighed));
            standing.addAll(Check.standing(Kind.MOVE, light, weighed));
        }
        return standing;
    }

    private @Nullable Decision moved(Gap gap) {
        OwnedRange best = heaviest(gap);
        Incarnation to = gap.to();
        if (best == null || to == null) {
            return null;
        }
        int tooLarge = 0;
        int resting = 0;
        for (Tracked each : ranges.ownedBy(gap.from())) {
            OwnedRange range = asItIs(each);
            tooLarge += Check.anyStands(heavy, weighed(range, gap)) ? 1 : 0;
            resting += Check.anyStands(obstacles, range) ? 1 : 0;
        }
        List<Figure> evidence = new ArrayList<>(evidence(gap));
        evidence.add(Figure.entities("range-carries", weighed(best, gap).weight()));
        List<String> rejected = new ArrayList<>();
        if (tooLarge > 0) {
            rejected.add(
                    tooLarge + " ranges that carry more than " + Math.round(settings.moveGap() * 100) + "% of the gap");
        }
        if (resting > 0) {
            rejected.add(resting + " ranges that were moved lately, are in a handoff, or are about to be merged");
        }
        return begin(best, to, evidence, rejected);
    }

    /** The heaviest range that fits the gap and is free to be moved; null if there is none, or it weighs too little. */
    private @Nullable OwnedRange heaviest(Gap gap) {
        OwnedRange inUse = heaviest(ranges.inUse(gap.from()), gap);
        boolean mayIdle = !Check.anyStands(light, new Weighed(Prediction.IDLE_WEIGHT, gap));
        return inUse == null && mayIdle ? heaviest(ranges.idle(gap.from()), gap) : inUse;
    }

    private @Nullable OwnedRange heaviest(Iterable<Tracked> heaviestFirst, Gap gap) {
        for (Tracked each : heaviestFirst) {
            OwnedRange range = asItIs(each);
            if (Check.anyStands(light, weighed(range, gap))) {
                return null; // And so do all that follow.
            }
            if (!Check.anyStands(heavy, weighed(range, gap)) && !Check.anyStands(obstacles, range)) {
                return range;
            }
        }
        return null;
    }

    private OwnedRange asItIs(Tracked range) {
        return OwnedRange.of(range, view).now(histories);
    }

    private static Weighed weighed(OwnedRange range, Gap gap) {
        return new Weighed(Prediction.weight(range.history()), gap);
    }

    private static List<Figure> evidence(Gap gap) {
        return List.of(
                Figure.entities("source-carries", gap.carriedFrom()),
                Figure.entities("target-carries", gap.carriedTo()));
    }

    private Decision begin(OwnedRange range, Incarnation to, List<Figure> evidence, List<String> rejected) {
        Incarnation from = range.owner();
        ClusterView.Server taker = view.server(to);
        boolean joined = taker != null
                && taker.joinedNanos() > view.leaderSinceNanos()
                && now - taker.joinedNanos() < JOINED_NANOS;
        HandoffPlan plan = HandoffPlan.move(range.row(), to);
        double weight = Prediction.weight(range.history());
        prediction.add(from, -weight);
        prediction.add(to, weight);
        prediction.begins(plan);
        return Decision.handoff(
                joined ? Reason.JOINED : Reason.UNEVEN,
                plan,
                joined ? to + " joined and carries little" : from + " carries more than " + to,
                evidence,
                rejected);
    }
}
