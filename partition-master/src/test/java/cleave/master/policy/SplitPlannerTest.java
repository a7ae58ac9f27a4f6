package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.HandoffPlan.Part;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
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
        List<HandoffPlan> plans = SplitPlanner.plan(script.state(), keys(1, 2, 3, 4, 5), server -> true);
        assertThat(plans).hasSize(1);
        assertThat(plans.get(0).sources()).containsExactly(script.rowAt(0));
        assertThat(bounds(plans.get(0))).containsExactlyElementsOf(keys(1, 2, 3, 4, 5));
        assertThat(owners(plans.get(0))).containsExactly(s1, s2, s3, s1, s2, s3);
    }

    @Test
    void eachRangeGetsItsOwnPlanAndBoundsNone() {
        Incarnation s2 = script.register("s2");
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        script.apply(Script.split(script.rowAt(0), List.of(10L), List.of(s1, s2)));
        List<HandoffPlan> plans = SplitPlanner.plan(script.state(), keys(5, 10, 15), server -> true);
        assertThat(plans)
                .extracting(HandoffPlan::sources)
                .containsExactly(List.of(script.rowAt(0)), List.of(script.rowAt(10)));
        assertThat(bounds(plans.get(0))).containsExactlyElementsOf(keys(5));
        assertThat(bounds(plans.get(1))).containsExactlyElementsOf(keys(15));
        // Two each, and no data moves.
        assertThat(owners(plans.get(0))).containsExactly(s1, s1);
        assertThat(owners(plans.get(1))).containsExactly(s2, s2);
    }

    @Test
    void whatIsABoundAlreadyWantsNothing() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        script.apply(Script.split(script.rowAt(0), List.of(10L), List.of(s1)));
        assertThat(SplitPlanner.plan(script.state(), keys(10), server -> true)).isEmpty();
    }

    @Test
    void withoutALiveServerNothingIsPlanned() {
        script.apply(new DeclareDead(List.of(s1)));
        assertThat(SplitPlanner.plan(script.state(), keys(10), server -> true)).isEmpty();
    }

    @Test
    void onePlanMakesOnlySoManyParts() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        TreeSet<Key> many = new TreeSet<>();
        for (long table = 1; table <= 1_000; table++) {
            many.add(Key.beforeTable(table));
        }
        assertThat(SplitPlanner.plan(script.state(), many, server -> true)
                        .get(0)
                        .parts())
                .hasSize(SplitPlanner.PARTS_MAX);
    }

    @Test
    void aServerThatDrainsGetsNoPart() {
        Incarnation s2 = script.register("s2");
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        script.apply(new Drain(s1, true));
        assertThat(owners(SplitPlanner.plan(script.state(), keys(1), server -> true)
                        .get(0)))
                .containsExactly(s2, s2);
    }

    /** Else the handoff is refused on and on, and nothing is split. */
    @Test
    void aServerWithoutSpaceGetsNoPart() {
        Incarnation s2 = script.register("s2");
        Incarnation s3 = script.register("s3");
        script.apply(Script.takeover(script.rowAt(0), s1, "m"));
        List<HandoffPlan> plans = SplitPlanner.plan(script.state(), keys(1, 2, 3), server -> !server.equals(s2));
        assertThat(owners(plans.get(0))).containsExactly(s1, s3, s1, s3);
        assertThat(SplitPlanner.plan(script.state(), keys(1), server -> false)).isEmpty();
    }

    private static List<Incarnation> owners(HandoffPlan plan) {
        return plan.parts().stream().map(Part::owner).toList();
    }

    private static List<Key> bounds(HandoffPlan plan) {
        return plan.parts().stream().skip(1).map(part -> part.range().start()).toList();
    }

    private static SortedSet<Key> keys(long... tables) {
        TreeSet<Key> keys = new TreeSet<>();
        for (long table : tables) {
            keys.add(Key.beforeTable(table));
        }
        return keys;
    }
}
