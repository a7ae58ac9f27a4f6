package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.ClockJudge.Findings;
import cleave.model.Incarnation;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClockJudgeTest {
    private static final long BOUND = 50;
    private static final long HOUR = 36_000;

    private final ClockJudge judge = new ClockJudge(BOUND);

    private static Incarnation server(int number) {
        return new Incarnation("s" + number, number);
    }

    /** How far the clocks of s1, s2 and so on are ahead of the leader's. */
    private Findings judge(long... aheads) {
        TreeMap<Incarnation, Long> ofLeader = new TreeMap<>();
        for (int i = 0; i < aheads.length; i++) {
            ofLeader.put(server(i + 1), aheads[i]);
        }
        return judge.judge(ofLeader);
    }

    @Test
    void clocksWithinTheBoundAreRight() {
        Findings findings = judge(BOUND, -BOUND, 0);
        assertThat(findings.off()).isEmpty();
        assertThat(findings.leaderAhead()).isZero();
        assertThat(findings.aheads()).containsEntry(server(2), -BOUND);
        assertThat(judge().off()).isEmpty();
    }

    @Test
    void aClockBeyondTheBoundIsOffUntilItIsWellWithin() {
        assertThat(judge(0, BOUND + 1, -HOUR).off()).containsExactly(server(2), server(3));
        assertThat(judge(0, BOUND, -BOUND + 5).off()).containsExactly(server(2), server(3));
        assertThat(judge(0, 41, -40).off()).containsExactly(server(2));
        assertThat(judge(0, 40, -BOUND).off()).isEmpty();
    }

    @Test
    void ofTwoClocksTheServersIsOff() {
        Findings findings = judge(HOUR);
        assertThat(findings.off()).containsExactly(server(1));
        assertThat(findings.leaderAhead()).isZero();
    }

    @Test
    void whereMostClocksAgreeAgainstTheLeaderItsClockIsOffAndNoServers() {
        Findings findings = judge(HOUR, HOUR + 10, HOUR - 10, 3);
        assertThat(findings.leaderAhead()).isEqualTo(-HOUR + 10);
        assertThat(findings.off()).isEmpty();
        assertThat(findings.aheads()).containsEntry(server(1), 10L).containsEntry(server(3), 0L);
        assertThat(judge(HOUR, HOUR).leaderAhead()).as("two of three").isEqualTo(-HOUR);
        assertThat(judge(-45, -45).leaderAhead()).as("not well within yet").isEqualTo(45);
        assertThat(judge(-40, -40).leaderAhead()).isZero();
    }

    @Test
    void halfOfTheClocksAreNotMost() {
        Findings findings = judge(HOUR, HOUR, 0);
        assertThat(findings.leaderAhead()).isZero();
        assertThat(findings.off()).containsExactly(server(1), server(2));
    }

    @Test
    void clocksThatAgreeWithNobodySayNothingAboutTheLeaders() {
        Findings findings = judge(HOUR, 2 * HOUR, 3 * HOUR);
        assertThat(findings.leaderAhead()).isZero();
        assertThat(findings.off()).hasSize(3);
    }

    @Test
    void aNewLeaderHasSeenNothing() {
        judge(0, BOUND + 1);
        judge.begin();
        assertThat(judge(0, BOUND).off()).isEmpty();
    }

    @Test
    void aHeartbeatThatComesLateDoesNotMakeItsClockWrong() {
        long second = 1_000_000_000L;
        ClockReading reading = new ClockReading(7, 0);
        reading.heard(-HOUR, 10 * second);
        assertThat(reading.offset()).isEqualTo(7);
        reading.heard(6, 10 * second + 1);
        reading.heard(-HOUR, 11 * second);
        assertThat(reading.offset()).isEqualTo(6);
        reading.heard(-HOUR, 12 * second);
        assertThat(reading.offset()).as("it is as the last two seconds say").isEqualTo(-HOUR);
        reading.heard(HOUR, 12 * second + 1);
        assertThat(reading.offset()).isEqualTo(HOUR);
    }
}
