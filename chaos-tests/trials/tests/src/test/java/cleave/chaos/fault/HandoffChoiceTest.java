package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandoffChoiceTest {
    private static final Key B = Key.beforePartition(1, "b");
    private static final Key C = Key.beforePartition(1, "c");
    private static final Incarnation OWNER = new Incarnation("s1", 1);
    private static final Row LEFT = new Row(1, new KeyRange(Key.MIN, B), OWNER, null, 5, 5);
    private static final Row RIGHT = new Row(2, new KeyRange(B, null), OWNER, null, 5, 5);

    private static HandoffChoice choice(int min, int max) {
        return new HandoffChoice(List.of(B, C), List.of("s1", "s2"), min, max);
    }

    private static Set<HandoffUse> uses(HandoffChoice choice, List<Row> rows) {
        Random random = new Random(1);
        Set<HandoffUse> uses = EnumSet.noneOf(HandoffUse.class);
        for (int i = 0; i < 100; i++) {
            ForcedHandoff handoff = choice.next(rows, List.of(), random);
            if (handoff != null) {
                uses.add(handoff.use());
            }
        }
        return uses;
    }

    @Test
    void allUsesAreChosenBetweenTheLimits() {
        assertThat(uses(choice(1, 3), List.of(LEFT, RIGHT))).containsExactly(HandoffUse.values());
    }

    @Test
    void theMaximumOfRangesIsNotSplitAndTheMinimumNotMerged() {
        assertThat(uses(choice(1, 2), List.of(LEFT, RIGHT))).containsExactly(HandoffUse.MERGE, HandoffUse.MOVE);
        assertThat(uses(choice(2, 3), List.of(LEFT, RIGHT))).containsExactly(HandoffUse.SPLIT, HandoffUse.MOVE);
    }

    @Test
    void whatIsBusyIsLeftAlone() {
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            ForcedHandoff handoff = choice(1, 3).next(List.of(LEFT, RIGHT), List.of(LEFT.range()), random);
            if (handoff != null) {
                assertThat(handoff.interval()).isEqualTo(RIGHT.range());
                assertThat(handoff.use()).isNotEqualTo(HandoffUse.MERGE);
            }
        }
    }
}
