package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = 1_000_000_000L;

    private static long dueWithin(Schedule schedule, long fromSecond, long toSecond) {
        return LongStream.range(0, 100_000)
                .map(schedule::dueNanos)
                .filter(due -> due >= fromSecond * SECOND && due < toSecond * SECOND)
                .count();
    }

    @Test
    void aConstantRateIsEvenAndEndsInTime() {
        Schedule schedule = Schedule.constant(4, 2);

        assertThat(LongStream.range(0, 9).map(schedule::dueNanos).boxed())
                .containsExactly(
                        0L,
                        SECOND / 4,
                        SECOND / 2,
                        3 * SECOND / 4,
                        SECOND,
                        5 * SECOND / 4,
                        3 * SECOND / 2,
                        7 * SECOND / 4,
                        -1L);
        assertThat(schedule.rateAt(1)).isEqualTo(4);
        assertThat(schedule.rateAt(2)).isEqualTo(0);
        assertThat(schedule.operations()).isEqualTo(8);
    }

    @Test
    void stepsFollowEachOther() {
        Schedule schedule = Schedule.steps(List.of(100.0, 200.0, 400.0), 10);

        assertThat(dueWithin(schedule, 0, 10)).isEqualTo(1000);
        assertThat(dueWithin(schedule, 10, 20)).isEqualTo(2000);
        assertThat(dueWithin(schedule, 20, 30)).isEqualTo(4000);
        assertThat(schedule.dueNanos(7000)).isEqualTo(-1);
        assertThat(schedule.seconds()).isEqualTo(30);
        assertThat(schedule).hasToString("100/s for 10 s, then 200/s for 10 s, then 400/s for 10 s");
    }

    @Test
    void aRampChangesEvenlyUpAndDown() {
        Schedule up = Schedule.ramp(0, 1000, 10);
        Schedule down = Schedule.ramp(1000, 0, 10);

        assertThat(up.operations()).isEqualTo(5000);
        assertThat(dueWithin(up, 0, 5)).isCloseTo(1250, within(1L));
        assertThat(dueWithin(down, 0, 5)).isCloseTo(3750, within(1L));
        assertThat(up.rateAt(2.5)).isEqualTo(250);
        assertThat(LongStream.range(0, 5000).map(up::dueNanos).boxed()).isSorted();
        assertThat(LongStream.range(0, 5000).map(down::dueNanos).boxed())
                .isSorted()
                .doesNotContain(-1L);
    }

    @Test
    void severalProcessesShareTheRate() {
        assertThat(Schedule.constant(100, 10).dividedBy(4).operations()).isEqualTo(250);
    }

    @Test
    void ratesAtTheSameTimeAddUp() {
        Schedule sum = Schedule.ramp(0, 100, 10).plus(Schedule.steps(List.of(10.0, 20.0, 30.0), 4));

        assertThat(sum)
                .hasToString("10/s to 50/s in 4 s, then 60/s to 100/s in 4 s, then 110/s to 130/s in 2 s, then"
                        + " 30/s for 2 s");
        assertThat(sum.operations()).isEqualTo(500 + 240);
        assertThat(Schedule.constant(100, 10).dividedBy(3).plus(Schedule.constant(50, 2.5)))
                .hasToString("83.3/s for 2.5 s, then 33.3/s for 7.5 s");
    }

    @Test
    void operationsUpToATimeAreThoseDueByThen() {
        Schedule schedule = new Schedule(List.of(new Schedule.Phase(10, 0, 100), new Schedule.Phase(5, 20, 20)));

        assertThat(schedule.operations(0)).isZero();
        assertThat(schedule.operations(5)).isEqualTo(125);
        assertThat(schedule.operations(12)).isEqualTo(540);
        assertThat(schedule.operations(60)).isEqualTo(schedule.operations()).isEqualTo(600);
    }

    @Test
    void aPhaseWithoutOperationsIsRefused() {
        assertThatThrownBy(() -> Schedule.constant(0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Schedule.ramp(5, -1, 10)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aWarmUpHasTheFirstRateAndAtLeastATenthOfTheHighest() {
        assertThat(Schedule.constant(500, 10).warmUp(5)).isEqualTo(Schedule.constant(500, 5));
        assertThat(Schedule.steps(List.of(500.0, 8000.0), 10).warmUp(5)).isEqualTo(Schedule.constant(800, 5));
        assertThat(Schedule.ramp(0, 2000, 60).warmUp(5)).isEqualTo(Schedule.constant(200, 5));
    }

    @Test
    void eachOperationIsDueInOneStep() {
        Schedule schedule = Schedule.steps(List.of(3.0, 10.0, 0.7), 1.5);
        List<Long> counted = new ArrayList<>(List.of(0L, 0L, 0L));
        for (long operation = 0; schedule.dueNanos(operation) >= 0; operation++) {
            int step = schedule.phaseAt(schedule.dueNanos(operation));
            counted.set(step, counted.get(step) + 1);
        }

        assertThat(counted).isEqualTo(schedule.operationsOfPhases());
        assertThat(schedule.phaseAt(Long.MAX_VALUE)).isEqualTo(2);
    }
}
