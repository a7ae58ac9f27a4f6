package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private static final long SECOND = 1_000_000_000L;
    /** Clocks begin anywhere. */
    private static final long ORIGIN = Math.subtractExact(Long.MAX_VALUE, 3 * SECOND);

    @Test
    void aSecondsWorthPassesAtOnceAndThenNothing() {
        Throttle limit = new Throttle(10);
        long paidUntil = ORIGIN;
        int passed = 0;
        while (passed < 1_000 && limit.admits(paidUntil, ORIGIN)) {
            paidUntil = limit.paid(paidUntil, ORIGIN, 1);
            passed++;
        }
        assertThat(passed).isEqualTo(10);
        assertThat(limit.admits(paidUntil, ORIGIN + 1))
                .as("it is not empty any more")
                .isTrue();
        assertThat(limit.isFull(paidUntil, ORIGIN + SECOND - 1)).isFalse();
        assertThat(limit.isFull(paidUntil, ORIGIN + SECOND)).isTrue();
    }

    @Test
    void whatIsLargerThanTheBucketPassesAndIsPaidForAfterwards() {
        Throttle limit = new Throttle(10);
        long paidUntil = limit.paid(ORIGIN, ORIGIN, 100);
        assertThat(limit.admits(paidUntil, ORIGIN + 9 * SECOND)).isFalse();
        assertThat(limit.admits(paidUntil, ORIGIN + 9 * SECOND + 1)).isTrue();
    }

    @Test
    void debtHasAnEnd() {
        Throttle limit = new Throttle(2000);
        long paidUntil = ORIGIN;
        for (int i = 0; i < 1000; i++) {
            paidUntil = limit.paid(paidUntil, ORIGIN, Limits.PAGE_ENTITIES_MAX);
        }
        assertThat(limit.admits(paidUntil, ORIGIN + SECOND + 1)).isTrue();
    }

    @Test
    void withoutALimitEverythingPasses() {
        long paidUntil = Throttle.OFF.paid(ORIGIN, ORIGIN, 1_000_000);
        assertThat(Throttle.OFF.admits(paidUntil, ORIGIN)).isTrue();
        assertThat(Throttle.OFF.isFull(paidUntil, ORIGIN)).isTrue();
    }

    @Test
    void aLimitBelowZeroCannotBe() {
        assertThatThrownBy(() -> new Throttle(-1)).isInstanceOf(AssertionError.class);
    }

    @Property
    void overTimeNoMorePassesThanTheLimit(
            @ForAll @IntRange(min = 1, max = 5000) int perSecond,
            @ForAll @Size(max = 200) List<@IntRange(max = 300_000_000) Integer> gaps,
            @ForAll @IntRange(min = 1, max = 100) int costMax) {
        Throttle limit = new Throttle(perSecond);
        long now = ORIGIN;
        long paidUntil = now;
        long passed = 0;
        int cost = 0;
        for (int gap : gaps) {
            now += gap;
            cost = cost % costMax + 1;
            if (limit.admits(paidUntil, now)) {
                paidUntil = limit.paid(paidUntil, now, cost);
                passed += cost;
            }
            double allowed = (now - ORIGIN) / (double) SECOND * perSecond + perSecond + costMax + 1;
            assertThat((double) passed).isLessThanOrEqualTo(allowed);
        }
    }
}
