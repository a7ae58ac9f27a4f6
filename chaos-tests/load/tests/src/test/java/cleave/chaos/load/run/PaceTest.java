package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void inAnOpenLoopOperationsAreDueByTheScheduleHoweverLateTheyAreTaken() {
        Schedule schedule = Schedule.constant(1000, 60);
        Pace pace = new Pace(schedule, 60, 0);

        assertThat(pace.awaitDue()).isEqualTo(1);
        assertThat(pace.awaitDue()).isEqualTo(schedule.dueNanos(1));
        assertThat(pace.now()).isGreaterThanOrEqualTo(schedule.dueNanos(1));
    }

    @Test
    void whatWasDueAndNotSentIsCounted() {
        Pace pace = new Pace(Schedule.constant(1000, 0.01), 60, 0);
        assertThat(pace.awaitDue()).isEqualTo(1);
        pace.sent();

        assertThat(pace.neverSent()).isEqualTo(9);
    }

    @Test
    void aSteadyPaceIsEvenHasNoEndAndMayChange() {
        Pace pace = Pace.steady(1000, null);
        long first = pace.awaitDue();

        assertThat(pace.awaitDue() - first).isGreaterThanOrEqualTo(999_999);
        pace.rate(500);
        pace.awaitDue();
        long due = pace.awaitDue();
        assertThat(pace.awaitDue() - due).isGreaterThanOrEqualTo(2_000_000);
        pace.stop();
        assertThat(pace.awaitDue()).isEqualTo(-1);
    }

    @Test
    void anEndedRunNeitherSendsNorWaitsForARetry() {
        Pace pace = new Pace(null, 3600, 0);
        assertThat(pace.awaitDue()).isPositive();
        pace.stop();

        assertThat(pace.awaitDue()).isEqualTo(-1);
        assertThat(pace.pause(3600, 1)).isFalse();
        assertThat(pace.neverSent()).isZero();
    }

    /** The clock of the test: the warm-up's schedule ends before its time does. */
    @Test
    void whatIsDueInTheWarmUpIsNotMeasuredAndDelaysNothing() {
        Schedule schedule = Schedule.constant(1000, 60);
        Pace pace = new Pace(schedule, 60, 0.05);

        long due = pace.awaitDue();
        int ofWarmUp = 0;
        while (due < pace.zeroNanos()) {
            ofWarmUp++;
            due = pace.awaitDue();
        }

        assertThat(ofWarmUp).isPositive();
        assertThat(due).isEqualTo(pace.zeroNanos() + schedule.dueNanos(0));
        assertThat(pace.now()).isGreaterThanOrEqualTo(pace.zeroNanos());
        assertThat(pace.neverSent()).isEqualTo(60_000);
    }

    @Test
    void aClosedLoopIsMeasuredFromTheEndOfItsWarmUp() {
        Pace pace = new Pace(null, 3600, 3600);

        assertThat(pace.awaitDue()).isPositive().isLessThan(pace.zeroNanos());
    }

    @Test
    void whatWaitsForARetryAtTheEndOfTheWarmUpIsGivenUp() {
        Pace pace = new Pace(null, 3600, 0.05);
        long due = pace.awaitDue();

        assertThat(pace.pause(3600, due)).isFalse();
        assertThat(pace.awaitDue()).isGreaterThanOrEqualTo(pace.zeroNanos());
    }
}
