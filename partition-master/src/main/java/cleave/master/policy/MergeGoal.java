package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.List;

/**
 * The goal that two neighbours become one range. Immutable. If they belong to two servers, the right one is first moved
 * to the left one's server, or the left one to the right one's if the left one's server drains.
 *
 * @param left its interval
 * @param right begins where the left one ends
 */
public record MergeGoal(KeyRange left, KeyRange right) implements Goal {
    public MergeGoal(Row left, Row right) {
        this(left.range(), right.range());
    }

    @Override
    public Next next(MasterState state) {
        List<Row> rows = state.rows().over(new KeyRange(left.start(), right.end()));
        if (rows.size() == 1) {
            return Next.reached();
        }
        if (rows.size() != 2
                || !rows.get(0).range().equals(left)
                || !rows.get(1).range().equals(right)) {
            return Next.never("the map has changed there: " + rows);
        }
        Row first = rows.get(0);
        Row second = rows.get(1);
        Incarnation owner = first.owner();
        Incarnation other = second.owner();
        if (owner == null || other == null) {
            return Next.later("range " + (owner == null ? first : second) + " has no live owner");
        }
        if (owner.equals(other)) {
            return Next.plans(List.of(HandoffPlan.merge(first, second, owner)));
        }
        return Next.plans(
                List.of(state.isDraining(owner) ? HandoffPlan.move(first, other) : HandoffPlan.move(second, owner)));
    }

    @Override
    public boolean concerns(Row row) {
        return row.range().overlaps(left) || row.range().overlaps(right);
    }

    @Override
    public String toString() {
        return "merge " + left + " with " + right;
    }
}
