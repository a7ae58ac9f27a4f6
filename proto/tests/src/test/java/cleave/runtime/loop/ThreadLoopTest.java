package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ThreadLoopTest extends EventLoopContract {
    private final ThreadLoop loop = new ThreadLoop("test-loop", fault::complete);

    @Override
    protected EventLoop loop() {
        return loop;
    }

    @Override
    protected void close() {
        loop.close();
    }

    @Test
    void theThreadHasTheNameOfTheLoop() throws Exception {
        assertThat(threadOfLoop().getName()).isEqualTo("test-loop");
    }
}
