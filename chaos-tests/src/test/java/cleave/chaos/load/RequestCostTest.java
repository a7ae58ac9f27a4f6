package cleave.chaos.load;

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
                new RequestCost.Sample(Map.of("servers", new Consumption(seconds, 0, 10)), Consumption.NONE, 1, 1_000),
                Map.of());
    }

    @Test
    void aRequestsShareIsWithoutWhatIdleProcessesConsume() {
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        consumed.put("front end", new Consumption(0.3, 0.1, 5_000));
        consumed.put("servers", new Consumption(0.4, 0.2, 3_000));
        RequestCost cost = RequestCost.of(
                new RequestCost.Sample(consumed, new Consumption(0.05, 0, 0), 2, 1_000),
                Map.of("front end", new Consumption(0.05, 0, 500)));

        assertThat(cost.byRole()).isEqualTo("front end 300, servers 600");
        assertThat(cost.total().micros()).isCloseTo(900, within(1e-6));
        assertThat(cost.total().systemMicros()).isCloseTo(300, within(1e-6));
        assertThat(cost.total().contextSwitches()).isCloseTo(7, within(1e-6));
        assertThat(cost.load().micros()).isCloseTo(50, within(1e-6));
        assertThat(cost.rate()).isCloseTo(500, within(1e-6));
    }

    @Test
    void whatIsLessThanIdleByChanceIsNotShownAndDoesNotBiasTheTotal() {
        RequestCost cost = RequestCost.of(
                new RequestCost.Sample(Map.of("masters", new Consumption(0.1, 0, 1)), Consumption.NONE, 1, 10),
                Map.of("masters", new Consumption(0.2, 0, 2)));
        assertThat(cost.byRole()).isEqualTo("masters 0");
        assertThat(cost.total().micros()).isCloseTo(-10_000, within(1e-6));
    }

    @Test
    void ofSeveralTheMiddleOneCounts() {
        assertThat(RequestCost.median(List.of(cost(3), cost(1), cost(2)))
                        .total()
                        .micros())
                .isCloseTo(2_000, within(1e-6));
    }
}
