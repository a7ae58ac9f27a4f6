package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void inAnOpenLoopOperationsAreDueByTheScheduleHoweverLateTheyAreTaken() {
        Schedule schedule = Schedule.constant(1000, 60);
        Pace pace = new Pace(schedule, 60);

        assertThat(pace.awaitDue()).isEqualTo(1);
        assertThat(pace.awaitDue()).isEqualTo(schedule.dueNanos(1));
        assertThat(pace.now()).isGreaterThanOrEqualTo(schedule.dueNanos(1));
    }

    @Test
    void whatWasDueAndNotSentIsCounted() {
        Pace pace = new Pace(Schedule.constant(1000, 0.01), 60);
        assertThat(pace.awaitDue()).isEqualTo(1);
        pace.sent();

        assertThat(pace.neverSent()).isEqualTo(9);
    }

    @Test
    void anEndedRunNeitherSendsNorWaitsForARetry() {
        Pace pace = new Pace(null, 3600);
        assertThat(pace.awaitDue()).isPositive();
        pace.stop();

        assertThat(pace.awaitDue()).isEqualTo(-1);
        assertThat(pace.pause(3600)).isFalse();
        assertThat(pace.neverSent()).isZero();
    }
}
