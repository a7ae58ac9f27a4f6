package cleave.frontend.routing;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.loop.ManualLoop;
import org.junit.jupiter.api.Test;

class RecentReadsTest {
    private final ManualLoop loop = new ManualLoop();
    private final RecentReads<String, Integer> memory = new RecentReads<>(loop, 100, 2);

    @Test
    void whatIsRememberedIsTrustedForAWhile() {
        memory.remember("a", 1);
        loop.advance(99);
        assertThat(memory.recall("a")).isEqualTo(1);
        loop.advance(1);
        assertThat(memory.recall("a")).isNull();
        assertThat(memory.recallOld("a")).isEqualTo(1);
        memory.remember("a", 2);
        assertThat(memory.recall("a")).isEqualTo(2);
    }

    @Test
    void theLeastRecentlyUsedIsForgotten() {
        memory.remember("a", 1);
        memory.remember("b", 2);
        assertThat(memory.recall("a")).isEqualTo(1);
        memory.remember("c", 3);
        assertThat(memory.recall("a")).isEqualTo(1);
        assertThat(memory.recallOld("b")).isNull();
        assertThat(memory.recall("c")).isEqualTo(3);
    }

    @Test
    void whatIsForgottenIsGone() {
        memory.remember("a", 1);
        memory.forget("a");
        assertThat(memory.recallOld("a")).isNull();
    }
}
