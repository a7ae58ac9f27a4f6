package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PeriodicTest {
    @Test
    void aTaskThatFailsIsDoneAgain() throws InterruptedException {
        CountDownLatch times = new CountDownLatch(3);
        Runnable fails = () -> {
            times.countDown();
            throw new IllegalStateException("as a bug would");
        };
        try (Periodic periodic = new Periodic("test", fails)) {
            periodic.soon();
            periodic.every(1);
            assertThat(times.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
