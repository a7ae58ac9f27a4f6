package cleave.master.policy;

import cleave.master.policy.Check.Said;
import cleave.master.policy.Decision.Reason;
import cleave.master.policy.HandoffPlan.Kind;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether two neighbours are merged. Confined to one tick of the balancer. The thresholds lie so far below
 * those of splits, and look back so far, that merges and splits do not undo each other.
 */
final class MergeRule {
    private final ClusterView view;
    private final BalancerSettings settings;
    private final Prediction prediction;
    private final Draft histories;
    private final long now;
    /** About the leader: whether anything is merged at all. */
    private final List<Check<ClusterView>> switches;
    /** Against a pair that should be merged, now or later. */
    private final List<Check<Pair>> unwanted;
    /** Against a pair of which both are free. */
    private final List<Check<Pair>> obstacles;
    /** Against a pair that can be merged where it is. */
    private final List<Check<Pair>> distance;
    /** Against the merge of a pair at one server. */
    private final List<Check<Pair>> limits;
    /** Against the move that brings a pair together. */
    private final List<Check<Pair>> limitsOfMove;

    /** Two neighbours; what is said is said about the first. */
    private record Pair(OwnedRange asked, OwnedRange other, OwnedRange left, OwnedRange right) {
        static Pair of(OwnedRange left, OwnedRange right) {
            return new Pair(left, right, left, right);
        }

        Pair turned() {
            return new Pair(/* asked= */ other, /* other= */ asked, left, right);
        }

        double most() {
            return left.history().maximum() + right.history().maximum();
        }

        double bytes() {
            return (double) left.bytes() + right.bytes();
        }

        String neighbour() {
            return "its neighbour " + Row.idText(other.id());
        }
    }

    MergeRule(ClusterView view, Prediction prediction, Draft histories, long now) {
        this.view = view;
        this.settings = view.settings();
        this.prediction = prediction;
        this.histories = histories;
        this.now = now;
        switches = List.of(
                new Check<>(
                        WhyNot.Reason.OFF,
                        each -> !each.settings().merge(),
                        each -> Said.of("nothing is merged, because balancer.merge is off")),
                new Check<>(
                        WhyNot.Reason.AFTER_START,
                        each -> now - each.leaderSinceNanos() < settings.mergeAfterStartNanos(),
                        each -> Said.until(
                                each.leaderSinceNanos() + settings.mergeAfterStartNanos(),
                                "nothing is merged in the first " + Check.seconds(settings.mergeAfterStartNanos())
                                        + " of a leader")));
        unwanted = List.of(
                new Check<>(
                        WhyNot.Reason.NOT_COLD,
                        pair -> !carriesLittle(
                                pair.left().history(), pair.right().history(), settings),
                        this::notCold),
                new Check<>(
                        WhyNot.Reason.TOO_LARGE,
                        pair -> !isSmall(pair.left().bytes(), pair.right().bytes(), settings),
                        this::tooLarge),
                either(new Check<>(WhyNot.Reason.WINDOW, range -> !isKnown(range), this::notKnown)),
                either(new Check<>(WhyNot.Reason.SPLIT_LATELY, this::wasSplitLately, this::splitLately)));
        obstacles = List.of(
                either(RangeChecks.cooling(now)),
                either(RangeChecks.draining()),
                either(RangeChecks.aside()),
                either(RangeChecks.busy(view, prediction)),
                either(RangeChecks.notServed()));
        distance = List.of(new Check<>(
                WhyNot.Reason.APART,
                pair -> !pair.left().owner().equals(pair.right().owner()),
                pair -> Said.of(pair.neighbour() + " is at " + pair.other().owner() + ": one of them is moved first")));
        limits = List.of(either(RangeChecks.budget(prediction)));
        limitsOfMove = List.of(both(RangeChecks.movedLately(view, now)), either(RangeChecks.budget(prediction)));
    }

    private double loadMax() {
        return loadMax(settings);
    }

    private static double loadMax(BalancerSettings settings) {
        return settings.mergeLoad() * settings.splitLoad();
    }

    private double bytesMax() {
        return bytesMax(settings);
    }

    private static double bytesMax(BalancerSettings settings) {
        return settings.mergeBytes() * settings.splitBytes();
    }

    /** True unless two neighbours carry or hold too much to be merged, however long they wait. */
    static boolean isColdAndSmall(Tracked left, Tracked right, BalancerSettings settings) {
        return carriesLittle(left.history, right.history, settings) && isSmall(left.bytes, right.bytes, settings);
    }

    private static boolean carriesLittle(RangeHistory left, RangeHistory right, BalancerSettings settings) {
        return left.maximum() + right.maximum() < loadMax(settings);
    }

    private static boolean isSmall(long left, long right, BalancerSettings settings) {
        return (double) left + right < bytesMax(settings);
    }

    private boolean isKnown(OwnedRange range) {
        return range.history().isCoveredFor(settings.mergeWindowNanos(), now);
    }

    private boolean wasSplitLately(OwnedRange range) {
        return range.history().wasSplitWithin(settings.mergeAfterSplitNanos(), now);
    }

    private Said notKnown(OwnedRange range) {
        long window = settings.mergeWindowNanos();
        long covered = range.history().coveredNanos();
        return Said.until(
                covered + window,
                "its load is known for the last " + Check.seconds(now - covered) + " of " + Check.seconds(window),
                Figure.seconds("known", now - covered),
                Figure.seconds("window", window));
    }

    private Said splitLately(OwnedRange range) {
        long rest = settings.mergeAfterSplitNanos();
        long split = range.history().splitOr(now);
        return Said.until(
                split + rest,
                "it comes from a split " + Check.seconds(now - split) + " ago, and is not merged for "
                        + Check.seconds(rest),
                Figure.seconds("since-split", now - split),
                Figure.seconds("rest", rest));
    }

    private Said notCold(Pair pair) {
        return new Said(
                "it and " + pair.neighbour() + " carried up to " + Check.rate(pair.most()) + " in the last "
                        + Check.seconds(settings.mergeWindowNanos()) + ", and are merged below "
                        + Check.rate(loadMax()),
                evidence(pair),
                null);
    }

    private Said tooLarge(Pair pair) {
        return new Said(
                "it and " + pair.neighbour() + " hold " + Check.size(pair.bytes()) + ", and are merged below "
                        + Check.size(bytesMax()),
                evidence(pair),
                null);
    }

    /** Stands if the check stands for one of the two. */
    private static Check<Pair> either(Check<OwnedRange> check) {
        Predicate<OwnedRange> stands = check.stands();
        return new Check<>(
                check.reason(),
                pair -> stands.test(pair.left()) || stands.test(pair.right()),
                pair -> said(check, pair));
    }

    /** Stands if the check stands for both. */
    private static Check<Pair> both(Check<OwnedRange> check) {
        Predicate<OwnedRange> stands = check.stands();
        return new Check<>(
                check.reason(),
                pair -> stands.test(pair.left()) && stands.test(pair.right()),
                pair -> said(check, pair));
    }

    private static Said said(Check<OwnedRange> check, Pair pair) {
        if (check.stands().test(pair.asked())) {
            return check.said().apply(pair.asked());
        }
        Said other = check.said().apply(pair.other());
        return new Said("of " + pair.neighbour() + ": " + other.text(), other.figures(), other.untilNanos());
    }

    /** True if anything is merged now. */
    boolean isOn() {
        return !Check.anyStands(switches, view);
    }

    /**
     * True if they should be merged, now or later; until then neither is moved because of its server's load. That is so
     * for the whole tick.
     */
    boolean isWanted(OwnedRange left, OwnedRange right) {
        return !Check.anyStands(unwanted, Pair.of(left, right));
    }

    /** Everything that stands against a merge of the range with a neighbour. */
    List<WhyNot> whyNot(@Nullable OwnedRange before, OwnedRange asked, @Nullable OwnedRange behind) {
        List<WhyNot> standing = new ArrayList<>(Check.standing(Kind.MERGE, switches, view));
        if (before == null && behind == null) {
            standing.add(new WhyNot(
                    Kind.MERGE, WhyNot.Reason.ALONE, "it has no neighbour: there is no other range", List.of(), null));
        }
        List<List<WhyNot>> sides = new ArrayList<>();
        if (before != null) {
            sides.add(whyNot(Pair.of(before, asked).turned()));
        }
        if (behind != null) {
            sides.add(whyNot(Pair.of(asked, behind)));
        }
        if (sides.stream().noneMatch(List::isEmpty)) {
            sides.forEach(standing::addAll);
        }
        return standing.stream().distinct().toList(); // What stands against the range itself stands on both sides.
    }

    private List<WhyNot> whyNot(Pair pair) {
        List<WhyNot> standing = new ArrayList<>(Check.standing(Kind.MERGE, unwanted, pair));
        if (standing.isEmpty()) {
            standing.addAll(Check.standing(Kind.MERGE, obstacles, pair));
            List<WhyNot> apart = Check.standing(Kind.MERGE, distance, pair);
            standing.addAll(apart);
            standing.addAll(Check.standing(Kind.MERGE, apart.isEmpty() ? limits : limitsOfMove, pair));
        }
        return standing;
    }

    /** Null if they are not merged now. */
    @Nullable
    Decision judge(OwnedRange left, OwnedRange right) {
        if (!isWanted(left, right)) {
            return null;
        }
        Pair pair = Pair.of(left.now(histories), right.now(histories));
        if (Check.anyStands(obstacles, pair)) {
            return null;
        }
        return Check.anyStands(distance, pair) ? broughtTogether(pair) : merged(pair);
    }

    private @Nullable Decision merged(Pair pair) {
        if (Check.anyStands(limits, pair)) {
            return null;
        }
        HandoffPlan plan = HandoffPlan.merge(
                pair.left().row(), pair.right().row(), pair.left().owner());
        return begin(Reason.COLD, plan, "two neighbours had little load for a long time", pair);
    }

    /**
     * The smaller one moves, unless it waits for another neighbour. Then both wait for each other, so that no third
     * range has either of them moved away.
     */
    private @Nullable Decision broughtTogether(Pair pair) {
        if (Check.anyStands(limitsOfMove, pair)) {
            return null;
        }
        OwnedRange left = pair.left();
        OwnedRange right = pair.right();
        boolean leftWaits = left.history().wasMovedWithin(settings.moveRestNanos(), now);
        boolean rightWaits = right.history().wasMovedWithin(settings.moveRestNanos(), now);
        boolean leftMoves = rightWaits || (!leftWaits && left.bytes() < right.bytes());
        Incarnation to = (leftMoves ? right : left).owner();
        Decision decision = begin(
                Reason.COLD_APART,
                HandoffPlan.move((leftMoves ? left : right).row(), to),
                "two neighbours had little load for a long time: one moves to the other's server, to be merged there",
                pair);
        histories.change(left.id(), history -> history.stayingInPlace(now));
        histories.change(right.id(), history -> history.stayingInPlace(now));
        return decision;
    }

    private Decision begin(Reason reason, HandoffPlan plan, String why, Pair pair) {
        prediction.begins(plan);
        return Decision.handoff(reason, plan, why, evidence(pair), List.of());
    }

    private List<Figure> evidence(Pair pair) {
        return List.of(
                Figure.entities("most-entities-per-second", pair.most()),
                Figure.entities("threshold", loadMax()),
                Figure.bytes("bytes", pair.bytes()),
                Figure.bytes("threshold-bytes", bytesMax()));
    }
}
