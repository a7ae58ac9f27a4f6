package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.client.Endpoint;
import cleave.chaos.process.Consumption;
import cleave.chaos.system.StandaloneSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A comparison of one service with itself, whose process is this one. */
@ExtendWith(StandaloneSystem.class)
class ComparisonIT {
    private static final Comparison.Lengths SHORT =
            new Comparison.Lengths(Duration.ZERO, Duration.ofMillis(400), Duration.ofMillis(200));

    private static List<String> rows(String table, String name) {
        return table.lines().filter(line -> line.contains("| " + name + " |")).toList();
    }

    @Test
    void eachOperationHasItsRatesAndItsCost(Endpoint endpoint) throws IOException, InterruptedException {
        long self = ProcessHandle.current().pid();
        List<String> told = new ArrayList<>();
        Comparison comparison = new Comparison(
                List.of(Contender.of("one", endpoint, self), Contender.of("other", endpoint, self)),
                2,
                SHORT,
                told::add);

        comparison.run("Comparison", 1);

        assertThat(told).noneMatch(line -> line.contains("FAILURES"));
        for (String operation : List.of("get", "insert", "merge", "query", "transaction")) {
            assertThat(comparison.table()).containsPattern("\\| " + operation + " \\| [0-9,]+ \\(.*\\| [0-9.]+ \\|");
        }
        if (Consumption.isKnown()) {
            assertThat(rows(comparison.costs(), "one")).hasSize(6);
            assertThat(rows(comparison.costs(), "other")).allMatch(row -> !row.contains("NaN"));
        }
    }

    @Test
    void aProcessThatEndsIsNoCheapOne(Endpoint endpoint) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sleep", "60").start();
        Contender contender = Contender.of("ended", endpoint, process.pid());
        Map<String, Consumption> before = contender.consumed();
        process.destroy();
        process.waitFor();

        assertThatThrownBy(() -> contender.consumedSince(before)).hasMessageContaining("a process of ended has ended");
    }
}
