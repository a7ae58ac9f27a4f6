package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.report.Summary.Verified;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionTest {
    private static Histogram upTo(int millis, int count) {
        Histogram latencies = new Histogram(3);
        for (int i = 1; i <= count; i++) {
            latencies.recordValue(1_000_000L * millis * i / count);
        }
        return latencies;
    }

    /** 1,000 gets of up to 10 ms and 96 inserts of up to 100 ms in 10 seconds; 4 more inserts failed. */
    private static Summary load(long neverSent, Verified verified) {
        return new Summary(
                TestSettings.of(Schedule.constant(110, 10)),
                Summary.WarmUp.NONE,
                10,
                Map.of(Action.GET, new Count(1000, 0, 0, 0, 1000, 0), Action.INSERT, new Count(96, 4, 0, 0, 96, 0)),
                Map.of(Action.GET, upTo(10, 1000), Action.INSERT, upTo(100, 96)),
                upTo(10, 1000),
                upTo(1, 4),
                Map.of(),
                neverSent,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                verified,
                List.of(),
                null);
    }

    private static Summary load() {
        return load(0, Verified.NOT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        p99 > 50ms            | p99 is 89.59 ms               | true
        p99>89500us           | p99 is 89.59 ms               | true
        P99 > 0.1 s           | p99 is 89.59 ms               | false
        p50 > 5.2ms           | p50 is 5.43 ms                | true
        get p99 > 9.9ms       | get p99 is 9.90 ms            | true
        get p99 > 10ms        | get p99 is 9.90 ms            | false
        insert max > 100ms    | insert max is 100.01 ms       | true
        errors > 4            | errors are 4                  | false
        errors >= 4           | errors are 4                  | true
        errors > 0.4%         | errors are 0.364%             | false
        insert errors > 3.9%  | insert errors are 4.000%      | true
        get errors > 0        | get errors are 0              | false
        rate < 109.6          | rate is 109.6/s               | false
        rate <= 109.6/s       | rate is 109.6/s               | true
        get rate < 101        | get rate is 100.0/s           | true
        """)
    void aLoadFailsByAConditionThatItMeets(String text, String found, boolean isFailed) {
        assertThat(Condition.ofFailure(text).failing(load())).isEqualTo(new Judgement(text, found, isFailed));
    }

    @Test
    void whatIsUnknownFailsALoadAndIsNotKept() {
        Judgement failing = Condition.ofFailure("merge p99 > 50ms").failing(load());
        Judgement keeping = Condition.ofSuccess("merge p99 < 50ms").keeping(load());

        assertThat(failing.isFailed()).isTrue();
        assertThat(keeping.isFailed()).isTrue();
        assertThat(failing.found()).isEqualTo("merge p99 is unknown, since nothing succeeded");
    }

    @Test
    void latenciesThatLackTheLongestPassNothing() {
        Judgement judged = Condition.ofFailure("p99 > 1s").failing(load(200, Verified.NOT));

        assertThat(judged.isFailed()).isTrue();
        assertThat(judged.found())
                .isEqualTo("p99 is 89.59 ms without what was never sent, since the rate was not reached");
        assertThat(Condition.ofFailure("rate < 100")
                        .failing(load(200, Verified.NOT))
                        .isFailed())
                .isFalse();
    }

    @Test
    void wrongEntitiesAreCountedByAVerificationAlone() {
        Condition condition = Condition.ofFailure("wrong > 0");

        assertThat(condition.needsVerification()).isTrue();
        assertThat(condition.failing(load(0, new Verified(true, "", 9, 0, List.of()))))
                .isEqualTo(new Judgement("wrong > 0", "wrong is 0", false));
        assertThat(condition
                        .failing(load(0, new Verified(true, "", 9, 2, List.of())))
                        .isFailed())
                .isTrue();
        assertThat(condition.failing(load(0, Verified.failed("reset"))))
                .isEqualTo(new Judgement("wrong > 0", "wrong is unknown, since the table was not verified", true));
    }

    @Test
    void aConditionThatIsToBeKeptFailsWhereItIsNot() {
        assertThat(Condition.ofSuccess("get p99 < 20ms").keeping(load()).isFailed())
                .isFalse();
        assertThat(Condition.ofSuccess("get p99 < 5ms").keeping(load()).isFailed())
                .isTrue();
    }

    @Test
    void aPercentileAndAShareNeedTenOperationsBeyondThem() {
        assertThat(Condition.ofSuccess("p99 < 1ms").operationsNeeded()).isBetween(999.9, 1000.1);
        assertThat(Condition.ofSuccess("p99.9 < 1ms").operationsNeeded()).isBetween(9999.0, 10_001.0);
        assertThat(Condition.ofSuccess("errors < 0.5%").operationsNeeded()).isEqualTo(2000);
        assertThat(Condition.ofSuccess("max < 1s").operationsNeeded()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        p99                | 'p99' is no condition; write [OPERATION] FIGURE > or < LIMIT, such as 'p99 > 50ms' or 'get errors > 0.1%', in quotes, since a shell takes < and > for itself
        p99 = 50ms         | 'p99 = 50ms' is no condition; write
        p99 > -1ms         | 'p99 > -1ms' is no condition; write
        p98 > 50ms         | 'p98 > 50ms': there is no figure 'p98'; there are p50, p90, p99, p99.9, p99.99, max, errors, rate, wrong
        put p99 > 50ms     | 'put p99 > 50ms': there is no operation 'put'; there are get, insert, merge, replace, delete, page, partition-scan, table-scan, transaction, read-modify-write
        p99 > 50           | 'p99 > 50': the limit of p99 is a time with its unit, such as 800us, 50ms or 1.5s
        p99 > 50min        | 'p99 > 50min': the limit of p99 is a time with its unit, such as 800us, 50ms or 1.5s, not 'min'
        errors > 5ms       | 'errors > 5ms': the limit of errors is a number of operations, or a percentage such as 0.1%, not 'ms'
        errors > 101%      | 'errors > 101%': there are never more errors than 100%
        rate < 5%          | 'rate < 5%': the limit of rate is operations per second, such as 950 or 950/s, not '%'
        get wrong > 0      | 'get wrong > 0': wrong counts the entities of the whole table; leave 'get' out
        rate > 900         | 'rate > 900' would fail a load for being good; write 'rate < 900'
        p99 <= 50ms        | 'p99 <= 50ms' would fail a load for being good; write 'p99 >= 50ms'
        """)
    void whatIsNoConditionIsRefusedWithWhatIsRight(String text, String message) {
        assertThatThrownBy(() -> Condition.ofFailure(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void whatBreaksAtNoHigherRateCannotBeKept() {
        assertThatThrownBy(() -> Condition.ofSuccess("p99 > 20ms"))
                .hasMessage("'p99 > 20ms' is what a load must keep, so write 'p99 < 20ms'");
        assertThatThrownBy(() -> Condition.ofSuccess("rate > 900"))
                .hasMessage("'rate > 900' is of a figure that does not grow with the rate; give a latency or errors,"
                        + " such as 'p99 < 20ms'");
    }
}
