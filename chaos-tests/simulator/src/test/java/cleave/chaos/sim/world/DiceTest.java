package cleave.chaos.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DiceTest {
    private static List<Object> drawn(Random random) {
        List<Object> drawn = new ArrayList<>();
        for (int i = 1; i < 200; i++) {
            drawn.add(random.nextInt(i));
            drawn.add(random.nextInt());
            drawn.add(random.nextLong());
            drawn.add(random.nextDouble());
            drawn.add(random.nextBoolean());
        }
        List<Integer> order = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7));
        Collections.shuffle(order, random);
        drawn.add(order);
        return drawn;
    }

    @Test
    void theNumbersAreThoseOfARandom() {
        for (long seed : new long[] {0, 1, -7, Long.MAX_VALUE, 0x5DEECE66DL}) {
            assertThat(drawn(new Dice(seed))).isEqualTo(drawn(new Random(seed)));
        }
    }

    @Test
    void aStateIsSetAgain() {
        Dice dice = new Dice(3);
        drawn(dice);
        long kept = dice.state();
        List<Object> first = drawn(dice);

        dice.set(kept);

        assertThat(drawn(dice)).isEqualTo(first);
    }
}
