package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.SplitPlanner.Plan;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.Key;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SplitPlannerTest {
    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");

    @Test
    void thePartsAreSpreadEvenlyAndTheOwnerKeepsItsShare() {
        Incarnation s2 = script.register("s2");
        Incarnation s3 = script.register("s3");
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        List<Plan> plans = SplitPlanner.plan(script.state(), keys(1, 2, 3, 4, 5));
        assertThat(plans).hasSize(1);
        assertThat(plans.get(0).row()).isEqualTo(script.rowAt(0));
        assertThat(plans.get(0).at()).containsExactlyElementsOf(keys(1, 2, 3, 4, 5));
        assertThat(plans.get(0).owners()).containsExactly(s1, s2, s3, s1, s2, s3);
    }

    @Test
    void eachRangeGetsItsOwnPlanAndBoundsNone() {
        Incarnation s2 = script.register("s2");
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        script.apply(Script.split(script.rowAt(0), List.of(10L), List.of(s1, s2)));
        List<Plan> plans = SplitPlanner.plan(script.state(), keys(5, 10, 15));
        assertThat(plans).extracting(Plan::row).containsExactly(script.rowAt(0), script.rowAt(10));
        assertThat(plans).extracting(Plan::at).containsExactly(List.copyOf(keys(5)), List.copyOf(keys(15)));
        // Two each, and no data moves.
        assertThat(plans.get(0).owners()).containsExactly(s1, s1);
        assertThat(plans.get(1).owners()).containsExactly(s2, s2);
    }

    @Test
    void whatIsABoundAlreadyWantsNothing() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        script.apply(Script.split(script.rowAt(0), List.of(10L), List.of(s1)));
        assertThat(SplitPlanner.plan(script.state(), keys(10))).isEmpty();
    }

    @Test
    void withoutALiveServerNothingIsPlanned() {
        script.apply(new DeclareDead(List.of(s1)));
        assertThat(SplitPlanner.plan(script.state(), keys(10))).isEmpty();
    }

    @Test
    void onePlanMakesOnlySoManyParts() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        TreeSet<Key> many = new TreeSet<>();
        for (long table = 1; table <= 1_000; table++) {
            many.add(Key.beforeTable(table));
        }
        assertThat(SplitPlanner.plan(script.state(), many).get(0).owners()).hasSize(SplitPlanner.PARTS_MAX);
    }

    private static SortedSet<Key> keys(long... tables) {
        TreeSet<Key> keys = new TreeSet<>();
        for (long table : tables) {
            keys.add(Key.beforeTable(table));
        }
        return keys;
    }
}
