package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class ProcessorWaitTest {
    @Test
    void theWaitIsTheSecondOfThreeNumbers() {
        assertThat(ProcessorWait.parse("668986 1608557 2\n")).isEqualTo(1_608_557);
        assertThatThrownBy(() -> ProcessorWait.parse("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ProcessorWait.parse("1 x 2")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatTheSystemCountsNeverFallsAndIsLessThanTheTimeThatPassed() {
        LongSupplier wait = ProcessorWait.ofThisThread();
        long began = System.nanoTime();
        long first = wait.getAsLong();
        long last = first;
        for (int i = 0; i < 1_000; i++) {
            long next = wait.getAsLong();
            assertThat(next).isGreaterThanOrEqualTo(last);
            last = next;
        }
        assertThat(last - first).isLessThanOrEqualTo(System.nanoTime() - began);
    }
}
