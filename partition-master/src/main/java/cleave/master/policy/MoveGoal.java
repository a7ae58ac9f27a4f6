package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.List;

/** The goal that a server owns a range. Immutable. */
public record MoveGoal(long range, Incarnation to) implements Goal {
    @Override
    public Next next(MasterState state) {
        Row row = state.rows().row(range);
        if (row == null) {
            return Next.never("range " + Row.idText(range) + " is no longer in the map: it was split or merged");
        }
        if (to.equals(row.owner())) {
            return Next.reached();
        }
        if (!state.isLive(to)) {
            return Next.never(to + " is no longer live");
        }
        if (state.isDraining(to)) {
            return Next.never(to + " is draining: it gets no ranges");
        }
        return Next.plans(List.of(HandoffPlan.move(row, to)));
    }

    @Override
    public boolean concerns(Row row) {
        return row.id() == range;
    }

    @Override
    public String toString() {
        return "move " + Row.idText(range) + " to " + to.server();
    }
}
