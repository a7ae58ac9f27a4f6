package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The goal that a single planned handoff is carried out. Immutable. */
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
        List<String> sources = ranges().stream().map(Row::idText).toList();
        Set<String> owners = new TreeSet<>();
        plan.targets().forEach(target -> owners.add(target.owner().server()));
        return plan.kind().name().toLowerCase(Locale.ROOT) + " " + String.join(" with ", sources)
                + (plan.kind() == HandoffPlan.Kind.SPLIT
                        ? " into " + plan.targets().size() + " ranges at "
                        : " to ")
                + String.join(", ", owners);
    }
}
