package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.report.Condition;
import cleave.chaos.load.report.Search;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.TestSettings;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.WorkloadFile;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RateFindingTest {
    private final List<String> progress = new ArrayList<>();

    private RateFinding finding(String... conditions) {
        return new RateFinding(
                List.of(conditions).stream().map(Condition::ofSuccess).toList(),
                WorkloadFile.parse("w", "w", "mix.get=95\nmix.insert=5"),
                progress::add);
    }

    /** A step of gets that all take equally long. */
    private static Summary step(double rate, double seconds, double millis, long failed, long neverSent) {
        long done = Math.max(0, Math.round(rate * seconds) - failed - neverSent);
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount((long) (millis * 1e6), done);
        return new Summary(
                TestSettings.of(Schedule.constant(rate, seconds)),
                Summary.WarmUp.NONE,
                seconds,
                Map.of(Action.GET, new Count(done, failed, 0, 0, done, 0)),
                Map.of(Action.GET, latency),
                latency,
                new Histogram(3),
                Map.of(),
                neverSent,
                List.of("get: 503 busy"),
                List.of(),
                List.of(),
                List.of(),
                Summary.Verified.NOT,
                List.of(),
                null);
    }

    private static Search search(Summary found) {
        return Objects.requireNonNull(found.search());
    }

    @Test
    void theSummaryIsOfTheStepAtTheRateThatWasFoundAndHasAll() throws IOException {
        Summary found =
                finding("p99 < 20ms").find(100, 10, (rate, seconds) -> step(rate, seconds, rate > 730 ? 30 : 5, 0, 0));

        assertThat(found.setting().loop()).isEqualTo("open loop, 725/s for 10 s");
        assertThat(found.steps())
                .extracting(Step::rate)
                .containsExactly(100.0, 200.0, 400.0, 800.0, 800.0, 600.0, 700.0, 750.0, 750.0, 725.0);
        assertThat(search(found).rate()).isEqualTo(725);
        assertThat(search(found).broken()).isEqualTo(750);
        assertThat(progress)
                .contains("step 3: 400/s for 10 s", "400/s: kept, p99 is 5.00 ms", "800/s: broken, p99 is 30.02 ms");
    }

    @Test
    void ifNoRateKeepsTheConditionTheLastStepIsShown() throws IOException {
        Summary found = finding("p99 < 20ms").find(100, 10, (rate, seconds) -> step(rate, seconds, 30, 0, 0));

        assertThat(found.setting().loop()).isEqualTo("open loop, 12.5/s for 80 s");
        assertThat(search(found).isFound()).isFalse();
    }

    @Test
    void aRateThatWasNotReachedIsBrokenAndSoIsOneAtWhichOperationsFail() throws IOException {
        finding("p99 < 20ms").find(100, 10, (rate, seconds) -> step(rate, seconds, 5, 0, rate > 150 ? 100 : 0));
        finding("p99 < 20ms").find(100, 10, (rate, seconds) -> step(rate, seconds, 5, rate > 150 ? 7 : 0, 0));

        assertThat(progress)
                .contains(
                        "200/s: broken, p99 is 5.00 ms without what was never sent, since the rate was not reached",
                        "200/s: broken, p99 is 5.00 ms, 7 operations failed");
    }

    @Test
    void aLimitOfErrorsSaysHowManyMayFail() throws IOException {
        Summary found = finding("errors < 1%")
                .find(100, 10, (rate, seconds) -> step(rate, seconds, 5, rate > 300 ? Math.round(rate) : 1, 0));

        assertThat(search(found).rate()).isBetween(300 / 1.05, 300.0);
    }

    @Test
    void aStepIsLongEnoughForItsFigure() {
        assertThat(finding("p99 < 20ms").seconds(400, 10)).isEqualTo(10);
        assertThat(finding("p99 < 20ms").seconds(50, 10)).isEqualTo(20);
        assertThat(finding("p99.9 < 20ms").seconds(100, 10)).isEqualTo(100);
        assertThat(finding("insert p99 < 20ms").seconds(100, 10)).isEqualTo(200);
        assertThat(finding("errors < 0.1%").seconds(100, 10)).isEqualTo(100);
    }

    @Test
    void aServiceThatAnswersNothingEndsTheSearch() {
        assertThatThrownBy(() -> finding("p99 < 20ms")
                        .find(100, 10, (rate, seconds) -> step(rate, seconds, 5, rate > 150 ? 2000 : 0, 0)))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("nothing succeeded at 200/s, twice: get: 503 busy");
    }
}
