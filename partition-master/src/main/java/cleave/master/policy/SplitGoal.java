package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The goal that each of the keys begins a range. Immutable. */
public final class SplitGoal implements Goal {
    private final SortedSet<Key> keys;
    private final Predicate<Incarnation> takesRanges;

    /** @param takesRanges false for a server that must not get more ranges; called for each plan */
    public SplitGoal(SortedSet<Key> keys, Predicate<Incarnation> takesRanges) {
        this.keys = new TreeSet<>(keys);
        this.takesRanges = takesRanges;
    }

    @Override
    public Next next(MasterState state) {
        SortedSet<Key> left = new TreeSet<>(keys);
        left.removeIf(key -> isBound(state, key));
        if (left.isEmpty()) {
            return Next.reached();
        }
        List<HandoffPlan> plans = SplitPlanner.plan(state, left, takesRanges);
        String refusal = left.size() + " keys are not bounds yet, the first is " + left.first();
        return plans.isEmpty()
                ? Next.later(refusal + ": there is no server for the parts")
                : new Next(false, false, refusal, plans);
    }

    @Override
    public boolean concerns(Row row) {
        SortedSet<Key> from = keys.tailSet(row.range().start());
        return !from.isEmpty() && row.range().contains(from.first());
    }

    private static boolean isBound(MasterState state, Key key) {
        Row row = state.rows().at(key);
        return row != null && row.range().start().equals(key);
    }

    @Override
    public String toString() {
        return "split at " + (keys.size() == 1 ? keys.first() : keys.size() + " keys from " + keys.first());
    }
}
