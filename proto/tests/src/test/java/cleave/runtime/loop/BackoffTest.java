package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class BackoffTest {
    private final Backoff backoff = new Backoff(250, 30_000);

    @Example
    void itDoublesUpToItsBound() {
        assertThat(backoff.nanos(0)).isZero();
        assertThat(backoff.nanos(1)).isEqualTo(250);
        assertThat(backoff.nanos(2)).isEqualTo(500);
        assertThat(backoff.nanos(7)).isEqualTo(16_000);
        assertThat(backoff.nanos(8)).isEqualTo(30_000);
        assertThat(backoff.nanos(Integer.MAX_VALUE)).isEqualTo(30_000);
        assertThat(new Backoff(1, Long.MAX_VALUE).nanos(Integer.MAX_VALUE)).isEqualTo(1L << 40);
    }

    @Property
    void halfOfItIsByChance(@ForAll @IntRange(max = 1_000_000) int failures, @ForAll long seed) {
        long whole = backoff.nanos(failures);
        assertThat(backoff.nanos(failures, new Random(seed))).isBetween(whole / 2, whole);
    }

    @Example
    void waitsThatShrinkAreRefused() {
        assertThatThrownBy(() -> new Backoff(5, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(-1, 4)).isInstanceOf(IllegalArgumentException.class);
    }
}
