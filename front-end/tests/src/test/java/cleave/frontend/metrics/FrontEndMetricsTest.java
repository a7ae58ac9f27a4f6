package cleave.frontend.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.fairness.Admission;
import cleave.frontend.request.Operation;
import cleave.frontend.routing.QueryClass;
import cleave.frontend.routing.RequestCost;
import cleave.frontend.throttle.AccountThrottle;
import com.sun.management.ThreadMXBean;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FrontEndMetricsTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final FrontEndMetrics metrics = new FrontEndMetrics(registry);

    private @Nullable Double answers(String op, String queryClass, String status) {
        return registry.getSampleValue(
                "cleave_front_end_request_seconds_count",
                new String[] {"op", "class", "status"},
                new String[] {op, queryClass, status});
    }

    private @Nullable Double requests(String op, String outcome) {
        return registry.getSampleValue(
                "cleave_front_end_requests_total", new String[] {"op", "outcome"}, new String[] {op, outcome});
    }

    @Test
    void aRequestIsCountedByOperationQueryClassAndStatusClass() {
        metrics.answered(Operation.QUERY, QueryClass.ROW_RANGE, 200, 3_000_000, null);
        metrics.answered(Operation.QUERY, QueryClass.TABLE_SCAN, 503, 3_000_000, null);
        metrics.answered(Operation.INSERT, null, 409, 3_000_000, null);

        assertThat(answers("query", "row-range", "2xx")).isEqualTo(1);
        assertThat(answers("query", "table-scan", "5xx")).isEqualTo(1);
        assertThat(answers("insert", "none", "4xx")).isEqualTo(1);
        assertThat(requests("query", "503")).isEqualTo(1);
        assertThat(registry.getSampleValue(
                        "cleave_front_end_request_seconds_bucket",
                        new String[] {"op", "class", "status", "le"},
                        new String[] {"query", "row-range", "2xx", "0.005"}))
                .isEqualTo(1);
    }

    @Test
    void failuresAreThereBeforeTheFirst() {
        for (Operation operation : Operation.values()) {
            assertThat(requests(operation.label(), "500")).as(operation.label()).isZero();
            assertThat(requests(operation.label(), "503")).as(operation.label()).isZero();
        }
        for (QueryClass each : QueryClass.values()) {
            assertThat(answers("query", each.label(), "5xx")).as(each.label()).isZero();
        }
        assertThat(answers("insert", "none", "5xx")).isZero();
    }

    @Test
    void aStatusThatHttpDoesNotHaveDoesNoHarm() {
        metrics.answered(Operation.GET, QueryClass.POINT, 0, 1, null);
        metrics.answered(Operation.GET, QueryClass.POINT, 1_000, 1, null);

        assertThat(requests("get", "100")).isEqualTo(1);
        assertThat(requests("get", "599")).isEqualTo(1);
    }

    @Test
    void toCountAllocatesNothing() {
        RequestCost cost = new RequestCost(new Admission(1, 1, AccountThrottle.OFF, bound -> {}), "acct");
        Runnable request = () -> {
            metrics.answered(Operation.QUERY, QueryClass.POINT, 200, 1_000, null);
            metrics.moved("acct", cost, 10, 100);
        };
        request.run();

        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int i = 0; i < 10_000; i++) {
            request.run();
        }
        long allocated = thread.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

        assertThat(allocated).as("bytes for 10,000 requests").isLessThan(40_000); // One object for each is 160,000.
    }

    @Test
    void howOldTheMapIsIsAskedAtEachScrape() {
        CollectorRegistry asked = new CollectorRegistry();
        FrontEndMetrics measured = new FrontEndMetrics(asked);
        assertThat(asked.getSampleValue("cleave_front_end_map_unconfirmed_seconds"))
                .isZero();

        measured.measureMap(() -> 2_500_000_000L);

        assertThat(asked.getSampleValue("cleave_front_end_map_unconfirmed_seconds"))
                .isEqualTo(2.5);
    }

    /** An increase does not see a counter's first value: a counter that begins with the first failure hides it. */
    @Test
    void whatMayBeRefusedIsCountedFromZero() {
        CollectorRegistry fresh = new CollectorRegistry();
        new FrontEndMetrics(fresh);

        for (String what : new String[] {"accounts", "certificate", "issuer-keys"}) {
            assertThat(fresh.getSampleValue(
                            "cleave_front_end_reloads_total",
                            new String[] {"what", "outcome"},
                            new String[] {what, "refused"}))
                    .isZero();
        }
    }
}
