package cleave.board.axis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JoiningTest {
    @Test
    void whatHasRoomStaysApart() {
        assertThat(Joining.groups(new double[] {1, 2, 3}, new boolean[3], 0, 3)).containsExactly(0, 1, 2);
    }

    @Test
    void coldNeighboursAreJoinedFirst() {
        double[] loads = {1, 1, 1, 100, 90, 1, 1, 1};

        int[] groups = Joining.groups(loads, new boolean[8], 0, 4);

        assertThat(groups).containsExactly(0, 0, 0, 1, 2, 3, 3, 3);
    }

    @Test
    void aTableBeginsAGroupIfThereIsRoom() {
        boolean[] begins = new boolean[4];
        begins[2] = true;

        assertThat(Joining.groups(new double[4], begins, 100, 4)).containsExactly(0, 0, 1, 1);
        Arrays.fill(begins, true);
        assertThat(Joining.size(Joining.groups(new double[4], begins, 0, 2))).isLessThanOrEqualTo(2);
    }

    @Test
    void thereAreNeverMoreGroupsThanAllowed() {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            double[] loads = random.doubles(1 + random.nextInt(500))
                    .map(x -> x < 0.7 ? 0 : x * 1e6)
                    .toArray();
            int max = 1 + random.nextInt(50);

            int[] groups = Joining.groups(loads, new boolean[loads.length], 0, max);

            assertThat(Joining.size(groups)).isBetween(1, max);
        }
    }
}
