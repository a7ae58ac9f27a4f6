package cleave.master.policy;

import cleave.master.policy.Decision.Evidence;
import cleave.master.policy.Decision.Reason;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.SortedSet;
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
    private final BalancerMemory.Draft histories;
    private final SortedSet<Long> staying;
    /** Only for lookups. */
    private final HashMap<Incarnation, List<Row>> owned = new HashMap<>();

    /** @param staying ranges that must not be moved because of their load */
    MoveRule(ClusterView view, Prediction prediction, BalancerMemory.Draft histories, SortedSet<Long> staying) {
        this.view = view;
        this.settings = view.settings();
        this.prediction = prediction;
        this.histories = histories;
        this.staying = staying;
        for (Row row : view.rows()) {
            Incarnation owner = row.owner();
            if (owner != null) {
                owned.computeIfAbsent(owner, first -> new ArrayList<>()).add(row);
            }
        }
    }

    private List<Row> ownedBy(Incarnation server) {
        return owned.getOrDefault(server, List.of());
    }

    /** The next move that narrows the gap between servers; null if there is none. */
    @Nullable
    Decision next(long now) {
        Incarnation to = prediction.coldestFree();
        for (Incarnation from : prediction.hottest()) {
            Decision decision = to == null || to.equals(from) ? null : move(from, to, now);
            if (decision != null) {
                return decision;
            }
        }
        return null;
    }

    private @Nullable Decision move(Incarnation from, Incarnation to, long now) {
        double gap = prediction.carried(from) - prediction.carried(to);
        double floor = Math.max(GAP_SHARE * prediction.carried(from), GAP_OF_SPLIT_LOAD * settings.splitLoad());
        if (gap <= floor || !prediction.mayTakePart(from)) {
            return null;
        }
        Row best = null;
        double most = 0;
        int tooLarge = 0;
        int resting = 0;
        for (Row row : ownedBy(from)) {
            RangeHistory history = histories.of(row.id());
            double weight = Prediction.weight(history);
            boolean rests = prediction.isBusy(row.id())
                    || staying.contains(row.id())
                    || history.rests(now)
                    || history.wasMovedWithin(settings.moveRestNanos(), now);
            boolean fits = weight <= settings.moveGap() * gap;
            if (!rests && fits && weight > most) {
                best = row;
                most = weight;
            }
            tooLarge += fits ? 0 : 1;
            resting += rests ? 1 : 0;
        }
        if (best == null || 2 * most < settings.moveGain() * gap) {
            return null;
        }
        List<Evidence> evidence = List.of(
                Evidence.of("source-carries", prediction.carried(from)),
                Evidence.of("target-carries", prediction.carried(to)),
                Evidence.of("range-carries", most));
        List<String> rejected = new ArrayList<>();
        if (tooLarge > 0) {
            rejected.add(
                    tooLarge + " ranges that carry more than " + Math.round(settings.moveGap() * 100) + "% of the gap");
        }
        if (resting > 0) {
            rejected.add(resting + " ranges that were moved lately, are in a handoff, or are about to be merged");
        }
        ClusterView.Server target = view.server(to);
        boolean joined = target != null
                && target.joinedNanos() > view.leaderSinceNanos()
                && now - target.joinedNanos() < JOINED_NANOS;
        return begin(
                joined ? Reason.JOINED : Reason.UNEVEN,
                best,
                from,
                to,
                joined ? to + " joined and carries little" : from + " carries more than " + to,
                evidence,
                rejected);
    }

    private Decision begin(
            Reason reason,
            Row row,
            Incarnation from,
            Incarnation to,
            String why,
            List<Evidence> evidence,
            List<String> rejected) {
        HandoffPlan plan = HandoffPlan.move(row, to);
        double weight = Prediction.weight(histories.of(row.id()));
        prediction.add(from, -weight);
        prediction.add(to, weight);
        prediction.begins(plan);
        return Decision.handoff(reason, plan, why, evidence, rejected);
    }
}
