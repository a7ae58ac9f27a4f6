package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the map should look like, whatever it takes. Immutable; judges the map as it is, never what was ordered before. */
public interface Goal {
    Next next(MasterState state);

    /** True if nobody else should hand this row's range off meanwhile. */
    boolean concerns(Row row);

    /**
     * What is to be done next. Immutable.
     *
     * @param done the map is as wanted
     * @param obstacle why it can never be, or, with no plans, why not now
     * @param hopeless no later map will do either
     */
    record Next(boolean done, boolean hopeless, @Nullable String obstacle, List<HandoffPlan> plans) {
        public Next {
            plans = List.copyOf(plans);
        }

        static Next reached() {
            return new Next(true, false, null, List.of());
        }

        static Next never(String obstacle) {
            return new Next(false, true, obstacle, List.of());
        }

        static Next later(String obstacle) {
            return new Next(false, false, obstacle, List.of());
        }

        static Next plans(List<HandoffPlan> plans) {
            return new Next(false, false, null, plans);
        }
    }
}
