package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the map should look like, whatever it takes. Immutable; judges the map as it is, never what was ordered before. */
public interface Goal {
    Next next(MasterState state);

    /** True if the balancer should leave this row's range alone meanwhile. */
    boolean concerns(Row row);

    /** Ids of the ranges that it is about, where it names them. */
    default List<Long> ranges() {
        return List.of();
    }

    /**
     * What is to be done next. Immutable.
     *
     * @param done the map is as wanted
     * @param refusal why it can never be, or, with no plans, why not now
     * @param hopeless no later map will do either
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
