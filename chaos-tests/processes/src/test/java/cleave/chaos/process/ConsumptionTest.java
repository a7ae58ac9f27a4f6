package cleave.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConsumptionTest {
    private static final List<Long> SELF = List.of(ProcessHandle.current().pid());

    @BeforeEach
    void needProc() {
        assumeTrue(Consumption.isKnown(), "this machine keeps no accounts in /proc");
    }

    @Test
    void whatThisProcessComputesIsCounted() {
        Consumption before = Consumption.of(SELF);
        long sum = 0;
        while (Consumption.of(SELF).minus(before).processor() < 0.05) {
            for (int i = 0; i < 1_000_000; i++) {
                sum += i;
            }
        }
        assertThat(sum).isPositive();
        assertThat(Consumption.of(SELF).contextSwitches()).isPositive();
    }

    @Test
    void whatDescendsFromAProcessIsCountedWithIt() throws Exception {
        Process tree = new ProcessBuilder(
                        "/bin/sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done & wait; echo done; read end")
                .start();
        try {
            assertThat(tree.inputReader().readLine()).isEqualTo("done");
            Consumption whole = Consumption.ofTree(tree.pid());
            assertThat(whole.processor())
                    .as("its child has ended, and is counted")
                    .isGreaterThan(Consumption.of(List.of(tree.pid())).processor());
        } finally {
            tree.destroyForcibly();
        }
        tree.waitFor();
        assertThat(Consumption.ofTree(tree.pid())).isEqualTo(Consumption.NONE);
    }

    @Test
    void aProcessThatIsGoneCountsAsNothing() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        assertThat(Consumption.of(List.of(gone.pid()))).isEqualTo(Consumption.NONE);
    }
}
