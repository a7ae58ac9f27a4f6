package cleave.chaos.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import cleave.chaos.process.Consumption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestCostTest {
    private static RequestCost cost(double seconds) {
        return RequestCost.of(
                new RequestCost.Sample(
                        Map.of("servers", new Consumption(seconds, 0, 10, 0)), Consumption.NONE, 1, 1_000),
                Map.of());
    }

    @Test
    void aRequestsShareIsWithoutWhatIdleProcessesConsume() {
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        consumed.put("front end", new Consumption(0.3, 0.1, 5_000, 3 << 20));
        consumed.put("servers", new Consumption(0.4, 0.2, 3_000, 4 << 20));
        RequestCost cost = RequestCost.of(
                new RequestCost.Sample(consumed, new Consumption(0.05, 0, 0, Double.NaN), 2, 1_000),
                Map.of("front end", new Consumption(0.05, 0, 500, 1 << 19)));

        assertThat(cost.microsByRole()).isEqualTo("front end 300, servers 600");
        assertThat(cost.allocatedByRole()).isEqualTo("front end 2.0, servers 4.1");
        assertThat(cost.total().allocated()).isCloseTo(6 * 1024 * 1.024, within(200.0));
        assertThat(cost.total().micros()).isCloseTo(900, within(1e-6));
        assertThat(cost.total().systemMicros()).isCloseTo(300, within(1e-6));
        assertThat(cost.total().contextSwitches()).isCloseTo(7, within(1e-6));
        assertThat(cost.load().micros()).isCloseTo(50, within(1e-6));
        assertThat(cost.rate()).isCloseTo(500, within(1e-6));
    }

    @Test
    void whatIsLessThanIdleByChanceIsNotShownAndDoesNotBiasTheTotal() {
        RequestCost cost = RequestCost.of(
                new RequestCost.Sample(Map.of("masters", new Consumption(0.1, 0, 1, 0)), Consumption.NONE, 1, 10),
                Map.of("masters", new Consumption(0.2, 0, 2, 0)));
        assertThat(cost.microsByRole()).isEqualTo("masters 0");
        assertThat(cost.total().micros()).isCloseTo(-10_000, within(1e-6));
    }

    @Test
    void aRoleThatDoesNotTellWhatItAllocatedLeavesTheTotalUnknown() {
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        consumed.put("servers", new Consumption(1, 0, 0, 1 << 20));
        consumed.put("bookies", new Consumption(1, 0, 0, Double.NaN));
        RequestCost cost = RequestCost.of(new RequestCost.Sample(consumed, Consumption.NONE, 1, 1_024), Map.of());

        assertThat(cost.allocatedByRole()).isEqualTo("servers 1.0");
        assertThat(cost.total().allocated()).isNaN();
    }

    @Test
    void ofSeveralIdleTimesTheMiddleOneOfAllRolesTogetherCounts() {
        Map<String, Consumption> compiling =
                Map.of("front end", new Consumption(0.1, 0, 0, 0), "servers", new Consumption(0.4, 0.1, 0, 0));
        Map<String, Consumption> usual =
                Map.of("front end", new Consumption(0.3, 0, 0, 0), "servers", new Consumption(0.1, 0, 0, 0));
        Map<String, Consumption> quiet =
                Map.of("front end", new Consumption(0.1, 0, 0, 0), "servers", new Consumption(0.1, 0, 0, 0));

        assertThat(RequestCost.middle(List.of(compiling, quiet, usual))).isEqualTo(usual);
    }

    @Test
    void ofSeveralTheMiddleOneCounts() {
        assertThat(RequestCost.median(List.of(cost(3), cost(1), cost(2)))
                        .total()
                        .micros())
                .isCloseTo(2_000, within(1e-6));
    }
}
