package cleave.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThreadTimesTest {
    /** As in proc(5): fields 14 and 15 are hundredths of seconds. */
    private static ThreadTimes of(String name, int user, int system) {
        return ThreadTimes.parse(
                "123 (" + name + ") S 1 2 3 0 -1 4194304 5 6 7 8 " + user + " " + system + " 0 0 20 0");
    }

    @Test
    void aThreadIsKnownByItsName() {
        assertThat(of("C2 CompilerThre", 150, 50)).isEqualTo(new ThreadTimes(2, 0, 0));
        assertThat(of("C1 CompilerThre", 100, 0)).isEqualTo(new ThreadTimes(1, 0, 0));
        assertThat(of("GC Thread#0", 100, 0)).isEqualTo(new ThreadTimes(0, 1, 0));
        assertThat(of("G1 Conc#0", 100, 0)).isEqualTo(new ThreadTimes(0, 1, 0));
        assertThat(of("a (b) c", 0, 300)).isEqualTo(new ThreadTimes(0, 0, 3));
    }

    @Test
    void theTextTellsShares() {
        assertThat(new ThreadTimes(1, 0.5, 2.5).minus(new ThreadTimes(0, 0, 0)).text())
                .isEqualTo("Processor time 4.00 s: compilers 25 %, garbage collector 13 %, other threads 63 %");
    }
}
