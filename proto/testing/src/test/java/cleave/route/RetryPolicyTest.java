package cleave.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Invariant;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class RetryPolicyTest {
    private static final RetryPolicy POLICY = new RetryPolicy(4, 100);

    @Property
    void waitsDoubleUpToTheLongestAndHalfOfEachIsByChance(
            @ForAll @IntRange(max = 1_000_000) int retries, @ForAll long seed) {
        long whole = retries >= 5 ? 100 : 4L << retries;
        assertThat(POLICY.waitNanos(retries, new Random(seed))).isBetween(whole / 2, whole);
    }

    @Example
    void waitsThatShrinkAreRefused() {
        assertThatThrownBy(() -> new RetryPolicy(5, 4)).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> new RetryPolicy(0, 4)).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> new RetryPolicy(1, Long.MAX_VALUE)).isInstanceOf(Invariant.Violation.class);
    }
}
