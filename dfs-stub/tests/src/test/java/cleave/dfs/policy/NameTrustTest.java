package cleave.dfs.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.policy.NameTrust.Moment;
import org.junit.jupiter.api.Test;

class NameTrustTest {
    private static final long TRUST = 1_000;
    private static final long START = Long.MAX_VALUE - 500; // A monotonic clock may overflow.

    private final NameTrust trust = new NameTrust(new FenceTimes(TRUST, 2 * TRUST), at(0));

    private static Moment at(long nanos) {
        return new Moment(START + nanos, 70);
    }

    @Test
    void aProofHoldsUntilItIsTooOld() {
        assertThat(trust.believes(at(TRUST - 1))).isTrue();
        assertThat(trust.believes(at(TRUST))).isFalse();
    }

    @Test
    void aProofIsAsOldAsTheQuestionNotTheAnswer() {
        trust.exists(at(600)); // Whenever the answer came.

        assertThat(trust.believes(at(1_599))).isTrue();
        assertThat(trust.believes(at(1_600))).isFalse();
    }

    @Test
    void aReportIsBelievedOnceAQuestionThatWasSentBehindItIsAnsweredHoweverLate() {
        assertThat(trust.believes(at(5_000))).isFalse();

        trust.exists(at(5_000));

        assertThat(trust.believes(at(5_000))).isTrue();
        assertThat(trust.believes(at(6_000))).isFalse();
    }

    @Test
    void anAnswerThatIsOvertakenTakesNothingBack() {
        trust.exists(at(900));
        trust.exists(at(300));

        assertThat(trust.believes(at(1_899))).isTrue();
    }

    @Test
    void theNameIsLookedUpBeforeTheProofIsTooOld() {
        assertThat(trust.isDue(at(499))).isFalse();
        assertThat(trust.isDue(at(500))).isTrue();
        trust.exists(at(500));
        assertThat(trust.isDue(at(999))).isFalse();
    }

    @Test
    void aMonotonicClockThatStoodStillIsNotBelievedAlone() {
        assertThat(trust.believes(new Moment(START + 1, 70 + TRUST / 100))).isFalse();
    }

    @Test
    void aWallClockThatWasSetBackMakesNoProofYounger() {
        assertThat(trust.believes(new Moment(at(TRUST).nanos(), -1_000_000))).isFalse();
    }

    @Test
    void aFenceIsRememberedForLongerThanANameIsBelieved() {
        assertThatThrownBy(() -> new FenceTimes(TRUST, 2 * TRUST - 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FenceTimes(0, TRUST)).isInstanceOf(IllegalArgumentException.class);
    }
}
