package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    void onlyAsManyAccountsAsWaitComeBeforeOne() {
        for (int account = 10; account < 20; account++) {
            for (int i = 0; i < 20; i++) {
                queue.offer(account, "a" + account);
            }
        }
        for (int i = 0; i < 57; i++) {
            turn(1_000, true);
        }
        queue.offer(LIGHT, "light");

        List<String> before = new ArrayList<>();
        for (String next = turn(1_000, true); !next.equals("light"); next = turn(1_000, true)) {
            before.add(next);
        }
        assertThat(before).hasSizeLessThanOrEqualTo(10).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "1,50", "2,50"})
    void accountsThatAlwaysHaveWorkGetTheSameWhateverTheirTurnsCost(int threads, int factor) {
        Random random = new Random(factor);
        Map<Integer, Long> got = new HashMap<>();
        record UnderWay(FairQueue.Turn<String> turn, long end, long cost) {}
        PriorityQueue<UnderWay> underWay = new PriorityQueue<>(Comparator.comparingLong(UnderWay::end));
        List<Integer> accounts = List.of(1, 2, 3, 4);
        accounts.forEach(account -> {
            for (int i = 0; i < 10 * account; i++) {
                queue.offer(account, account + "");
            }
        });
        long now = 0;
        for (int i = 0; i < 100_000; i++) {
            while (underWay.size() < threads) {
                FairQueue.Turn<String> next = next();
                long cost = 100L + random.nextInt(next.work().equals("1") ? 100 * factor : 100);
                got.merge(Integer.parseInt(next.work()), cost, Long::sum);
                underWay.add(new UnderWay(next, now + cost, cost));
            }
            UnderWay first = underWay.remove();
            queue.ended(first.turn(), first.cost(), random.nextBoolean());
            now = first.end();
            queue.offer(Integer.parseInt(first.turn().work()), first.turn().work());
        }
        long least = got.values().stream().min(Long::compare).orElseThrow();
        long most = got.values().stream().max(Long::compare).orElseThrow();
        assertThat((double) most / least).isBetween(1.0, 1.05);
    }

    @Test
    void nobodyStarves() {
        fill(HEAVY, "h");
        queue.offer(LIGHT, "light");
        int turns = 0;
        while (!turn(1, true).equals("light")) {
            turns++;
        }
        assertThat(turns).isLessThanOrEqualTo(1);
    }

    @Test
    void whatAnAccountDidNotUseItDoesNotKeep() {
        queue.offer(LIGHT, "early");
        fill(HEAVY, "h");
        turn(1, false);
        for (int i = 0; i < 100; i++) {
            turn(1_000, true);
        }
        for (int i = 0; i < 50; i++) {
            queue.offer(LIGHT, "light");
        }
        int light = 0;
        for (int i = 0; i < 40; i++) {
            light += turn(1_000, true).equals("light") ? 1 : 0;
        }
        assertThat(light).isBetween(19, 21);
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

    @Test
    void accountsAreForgotten() {
        for (int account = 0; account < 100_000; account++) {
            queue.offer(account, "a");
            if (account % 3 == 0) {
                turn(account % 7, false);
            }
            if (queue.waiting() > 500) {
                while (queue.waiting() > 1) {
                    turn(5, false);
                }
            }
            assertThat(queue.accounts()).isLessThanOrEqualTo(2 * MAX + 17);
        }
        while (queue.waiting() > 0) {
            turn(5, false);
        }
        assertThat(queue.accounts()).isZero();
        assertThat(queue.next()).isNull();
    }
}
