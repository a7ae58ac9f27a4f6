package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;

/** What one handoff makes of its sources. Immutable. */
public record PlanGoal(HandoffPlan plan) implements Goal {
    @Override
    public Next next(MasterState state) {
        return Next.plans(List.of(plan));
    }

    @Override
    public boolean concerns(Row row) {
        return plan.sources().stream().anyMatch(source -> source.id() == row.id());
    }

    @Override
    public List<Long> ranges() {
        return plan.sources().stream().map(Row::id).toList();
    }

    @Override
    public String toString() {
        return plan.toString();
    }
}
