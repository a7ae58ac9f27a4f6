package cleave.chaos.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExpressionTest {
    private final Expression expression = new Expression(
            "rule",
            "rate(up{component!=\"dfs\"}[5m]) > 0.2 unless on (namespace)\n"
                    + "  cleave_ready == 1 or cleave:requests:rate5m <= 3");

    @Test
    void comparisonsOfALoosenedOneFilterNothingAndWhatMustBeAbsentMustBeThere() {
        assertThat(expression.loosened())
                .isEqualTo("rate(up{component!=\"dfs\"}[5m]) > bool 0.2 and on (namespace)\n  cleave_ready == bool 1"
                        + " or cleave:requests:rate5m <= bool 3");
    }

    @Test
    void selectorsAreMetricsWithTheirMatchers() {
        assertThat(expression.selectors())
                .containsExactly("up{component!=\"dfs\"}", "cleave_ready", "cleave:requests:rate5m");
    }
}
