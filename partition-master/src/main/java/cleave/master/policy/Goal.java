package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A wanted state of the map. Immutable. It judges the current map only, never the orders given before. */
public interface Goal {
    Next next(MasterState state);

    /** True if the balancer should leave this row's range alone meanwhile. */
    boolean concerns(Row row);

    /** Ids of the ranges that it names, if any. */
    default List<Long> ranges() {
        return List.of();
    }

    /**
     * The next step towards the goal. Immutable.
     *
     * @param done the map is in the wanted state
     * @param refusal why the goal can never be reached, or, without plans, why not now
     * @param hopeless no later map will permit it either
     */
    record Next(boolean done, boolean hopeless, @Nullable String refusal, List<HandoffPlan> plans) {
        public Next {
            plans = List.copyOf(plans);
        }

        static Next reached() {
            return new Next(true, false, null, List.of());
        }

        static Next never(String refusal) {
            return new Next(false, true, refusal, List.of());
        }

        static Next later(String refusal) {
            return new Next(false, false, refusal, List.of());
        }

        static Next plans(List<HandoffPlan> plans) {
            return new Next(false, false, null, plans);
        }
    }
}
