package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(250, 30_000);

    @Test
    void itDoublesUpToItsBound() {
        assertThat(backoff.nanos(0)).isZero();
        assertThat(backoff.nanos(1)).isEqualTo(250);
        assertThat(backoff.nanos(2)).isEqualTo(500);
        assertThat(backoff.nanos(7)).isEqualTo(16_000);
        assertThat(backoff.nanos(8)).isEqualTo(30_000);
        assertThat(backoff.nanos(Integer.MAX_VALUE)).isEqualTo(30_000);
    }
}
