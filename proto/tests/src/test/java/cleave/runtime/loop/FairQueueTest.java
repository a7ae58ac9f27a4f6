package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairQueueTest {
    private static final int MAX = 1_000;
    private static final int HEAVY = 1;
    private static final int LIGHT = 2;

    private final FairQueue<String> queue = new FairQueue<>(MAX);

    private FairQueue.Turn<String> next() {
        return Objects.requireNonNull(queue.next());
    }

    private String turn(long cost, boolean goesOn) {
        FairQueue.Turn<String> turn = next();
        queue.ended(turn, cost, goesOn);
        return turn.work();
    }

    private int fill(int account, String name) {
        int count = 0;
        while (queue.offer(account, name + count)) {
            count++;
        }
        return count;
    }

    @Test
    void workOfOneAccountIsDoneInOrderAndWhatWasInterruptedGoesOnFirst() {
        fill(HEAVY, "h");

        assertThat(turn(10, true)).isEqualTo("h0");
        assertThat(turn(10, false)).isEqualTo("h0");
        assertThat(turn(10, false)).isEqualTo("h1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void oneThatComesAnewWaitsForTheTurnsUnderWayOnlyHoweverMuchWaits(int threads) {
        fill(HEAVY, "h");
        Deque<FairQueue.Turn<String>> underWay = new ArrayDeque<>();
        for (int i = 0; i < 100; i++) {
            while (underWay.size() < threads) {
                underWay.add(next());
            }
            queue.ended(underWay.remove(), 10_000_000, true);
        }
        queue.offer(LIGHT, "light");

        assertThat(next().work()).isEqualTo("light");
    }

    @Test
    void anAccountThatFillsTheQueueLeavesAPlaceForOthers() {
        assertThat(fill(HEAVY, "h")).isEqualTo(MAX * 4 / 5);
        assertThat(fill(LIGHT, "l")).isPositive();
        for (int account = 10; account < 100; account++) {
            fill(account, "a");
        }
        assertThat(queue.waiting()).isLessThanOrEqualTo(MAX);
    }
}
