package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.Key;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SplitPlannerTest {
    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");

    @Test
    void onePlanMakesOnlySoManyParts() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        TreeSet<Key> many = new TreeSet<>();
        for (long table = 1; table <= 1_000; table++) {
            many.add(Key.beforeTable(table));
        }
        assertThat(SplitPlanner.plan(script.state(), many, server -> true)
                        .get(0)
                        .targets())
                .hasSize(SplitPlanner.PARTS_MAX);
    }
}
