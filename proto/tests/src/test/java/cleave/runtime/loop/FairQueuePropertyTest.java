package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** The queue for a number of threads, whose turns end in any order and have any cost up to a maximum. */
class FairQueuePropertyTest {
    private static final int MAX = 200;

    /** Threads that take turns, and the cost that each account got. */
    private static final class Threads {
        private final FairQueue<Integer> queue = new FairQueue<>(MAX);
        private final Random random;
        private final int count;
        private final long costMax;
        /** By this much turns of odd accounts are cheaper. */
        private final int factor;

        private final List<FairQueue.Turn<Integer>> underWay = new ArrayList<>();
        private final Map<Integer, Long> got = new HashMap<>();
        private final Map<Integer, Integer> turns = new HashMap<>();

        Threads(long seed, int count, long costMax) {
            this(seed, count, costMax, 1);
        }

        Threads(long seed, int count, long costMax, int factor) {
            this.random = new Random(seed);
            this.count = count;
            this.costMax = costMax;
            this.factor = factor;
        }

        long got(int account) {
            return got.getOrDefault(account, 0L);
        }

        int turns(int account) {
            return turns.getOrDefault(account, 0);
        }

        void fill() {
            while (underWay.size() < count && queue.waiting() > 0) {
                FairQueue.Turn<Integer> turn = queue.next();
                if (turn == null) {
                    throw new AssertionError("work waits, and nothing is next");
                }
                turns.merge(turn.work(), 1, Integer::sum);
                underWay.add(turn);
            }
        }

        /** A turn ends; the account has as much work as before if it is to. */
        void end(boolean asMuch) {
            FairQueue.Turn<Integer> turn = underWay.remove(random.nextInt(underWay.size()));
            long cost = 1 + random.nextLong(turn.work() % 2 == 0 ? costMax : Math.max(1, costMax / factor));
            got.merge(turn.work(), cost, Long::sum);
            boolean goesOn = asMuch && random.nextBoolean();
            queue.ended(turn, cost, goesOn);
            if (asMuch && !goesOn) {
                queue.offer(turn.work(), turn.work());
            }
        }
    }

    /** However much accounts differ in their work, two that always have some get the same, but for the turns in progress. */
    @Property(tries = 200)
    void accountsThatAlwaysHaveWorkGetTheSameWithinTheirTurns(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int count,
            @ForAll @IntRange(min = 2, max = 8) int accounts,
            @ForAll @LongRange(min = 1, max = 1_000_000) long costMax,
            @ForAll @IntRange(min = 1, max = 50) int factor) {
        Threads threads = new Threads(seed, count, costMax, factor);
        for (int account = 0; account < accounts; account++) {
            for (int i = 0; i <= count * (account + 1) / 2 + count; i++) {
                threads.queue.offer(account, account);
            }
        }
        for (int i = 0; i < 2_000; i++) {
            threads.fill();
            threads.end(true);
            long most =
                    IntStream.range(0, accounts).mapToLong(threads::got).max().orElseThrow();
            long least =
                    IntStream.range(0, accounts).mapToLong(threads::got).min().orElseThrow();
            assertThat(most - least).isLessThanOrEqualTo(2L * (count + 1) * costMax);
        }
    }

    /** A seed with which an account had four cheap turns, for it had been charged too much for those before. */
    @Example
    void whoComesAnewWaitsForCheapTurns() {
        whoComesAnewWaitsForOneTurnOfEachOtherAccount(1_804_190_893, 2, 3, 26);
    }

    /**
     * Before a new account, each other gets at most the cost of a turn, that of its turns in progress, and what it was charged too much for
     * them. It does not matter what the others had before and have waiting.
     */
    @Property(tries = 200)
    void whoComesAnewWaitsForOneTurnOfEachOtherAccount(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int count,
            @ForAll @IntRange(min = 1, max = 20) int others,
            @ForAll @IntRange(min = 0, max = 500) int before) {
        long costMax = 1_000;
        Threads threads = new Threads(seed, count, costMax);
        for (int i = 0; i < MAX / 2; i++) {
            threads.queue.offer(i % others, i % others);
        }
        for (int i = 0; i < before; i++) {
            threads.fill();
            threads.end(true);
        }
        threads.fill();
        Map<Integer, Long> had = new LinkedHashMap<>(threads.got);
        assertThat(threads.queue.offer(-1, -1)).isTrue();
        while (threads.turns(-1) == 0) {
            threads.end(true);
            threads.fill();
            IntStream.range(0, others)
                    .forEach(other -> assertThat(threads.got(other) - had.getOrDefault(other, 0L))
                            .isLessThanOrEqualTo((1 + 2L * count) * costMax));
        }
        long all = IntStream.range(0, others)
                .mapToLong(other -> threads.got(other) - had.getOrDefault(other, 0L))
                .sum();
        assertThat(all).isLessThanOrEqualTo((others + 2L * count) * costMax);
    }

    /** However long it did nothing: it does not catch up. */
    @Property(tries = 100)
    void anAccountThatWasIdleHasNoCredit(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int count,
            @ForAll @IntRange(min = 1, max = 5_000) int idle) {
        long costMax = 1_000;
        Threads threads = new Threads(seed, count, costMax);
        for (int i = 0; i < 4 * count; i++) {
            threads.queue.offer(0, 0);
            threads.queue.offer(1, 1);
        }
        for (int i = 0;
                threads.turns(1) < 4 * count || i < idle;
                i++) { // Account 1 is served for a while; account 0 goes on.
            threads.fill();
            threads.end(false);
            threads.queue.offer(0, 0);
        }
        long one = threads.got(1);
        long zero = threads.got(0);
        for (int i = 0; i < 500; i++) {
            threads.queue.offer(1, 1);
            threads.queue.offer(0, 0);
            threads.fill();
            threads.end(false);
            long ahead = (threads.got(1) - one) - (threads.got(0) - zero);
            assertThat(ahead).isLessThanOrEqualTo(2L * (count + 1) * costMax);
        }
    }

    /** With any number of accounts in any order, the remembered ones are bounded by what may wait, and in the end none is left. */
    @Property(tries = 100)
    void accountsThatAreRememberedAreBounded(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 8) int count,
            @ForAll @IntRange(min = 1, max = 100_000) int accounts) {
        Threads threads = new Threads(seed, count, 1_000);
        Random random = new Random(seed);
        for (int i = 0; i < 5_000; i++) {
            int account = random.nextInt(accounts);
            threads.queue.offer(account, account);
            threads.fill();
            if (random.nextInt(3) > 0) {
                threads.end(random.nextInt(10) == 0);
            }
            assertThat(threads.queue.waiting()).isLessThanOrEqualTo(MAX + count);
            assertThat(threads.queue.accounts()).isLessThanOrEqualTo(2 * (MAX + count) + 17);
        }
        while (!threads.underWay.isEmpty() || threads.queue.waiting() > 0) {
            threads.fill();
            threads.end(false);
        }
        assertThat(threads.queue.accounts()).isZero();
    }
}
