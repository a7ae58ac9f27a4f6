package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.FailureDetector.Silence;
import cleave.master.policy.FailureDetector.Timing;
import cleave.model.Incarnation;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a virtual clock that counts milliseconds. */
class FailureDetectorTest {
    private static final Incarnation A = new Incarnation("a", 1);
    private static final Incarnation B = new Incarnation("b", 2);
    private static final Incarnation C = new Incarnation("c", 3);
    private static final List<Incarnation> ALL = List.of(A, B, C);

    private final FailureDetector detector = new FailureDetector(new Timing(1_000, 300, 500));
    private long now = 10_000;

    @BeforeEach
    void begin() {
        detector.begin(now);
        detector.judge(ALL, now);
    }

    @Test
    void whoeverIsHeardLives() {
        for (int i = 0; i < 50; i++) {
            assertThat(pass(100, A, B, C).dead()).isEmpty();
        }
    }

    @Test
    void oneSilentServerIsDeadAfterTheTimeOfSuspicion() {
        assertThat(passMany(9, 100, A, B).dead()).isEmpty();
        assertThat(pass(100, A, B).dead()).containsExactly(C);
    }

    @Test
    void aBrokenStreamShortensTheWait() {
        pass(100, A, B, C);
        detector.broken(C, now);
        assertThat(passMany(2, 100, A, B).dead()).isEmpty();
        assertThat(pass(100, A, B).dead()).containsExactly(C);
    }

    @Test
    void aServerThatIsGoneIsDeadAtOnce() {
        pass(100, A, B, C);
        assertThat(detector.waitsFor(C, now)).isFalse();
        detector.broken(C, now);
        assertThat(detector.waitsFor(C, now)).isTrue();
        assertThat(detector.waitsFor(C, now - 1)).isFalse();
        detector.gone(C);
        assertThat(detector.waitsFor(C, now)).isFalse();
        assertThat(detector.isGone(C)).isTrue();
        assertThat(detector.judgeAgain(ALL, now).dead()).containsExactly(C);
    }

    @Test
    void aServerThatIsHeardAgainIsNotGone() {
        detector.broken(C, now);
        detector.gone(C);
        assertThat(pass(1, A, B, C).dead()).isEmpty();
        assertThat(detector.isGone(C)).isFalse();
    }

    @Test
    void aLateTickDoesNotBringBackWhoIsGone() {
        detector.broken(C, now);
        detector.gone(C);
        now += 3_000;
        assertThat(detector.judge(ALL, now).dead()).containsExactly(C);
    }

    @Test
    void serversThatAreLostTogetherAreNotDeclaredDeadOneAfterTheOther() {
        detector.broken(B, now);
        detector.broken(C, now);
        detector.gone(B);
        assertThat(detector.judgeAgain(ALL, now)).isEqualTo(new Silence(List.of(), true));
        detector.proved(now);
        detector.gone(C);
        assertThat(detector.judgeAgain(ALL, now)).isEqualTo(new Silence(List.of(), false));
        assertThat(passMany(9, 100, A).dead()).isEmpty();
        assertThat(pass(100, A).dead()).containsExactly(B, C);
    }

    @Test
    void aServerThatMayComeBackIsNotDeadYet() {
        detector.broken(B, now);
        detector.broken(C, now);
        assertThat(pass(100, A)).isEqualTo(new Silence(List.of(), false));
    }

    @Test
    void judgingBetweenTicksDoesNotHideALateTick() {
        pass(100, A, B, C);
        detector.broken(C, now);
        now += 90;
        detector.judgeAgain(ALL, now);
        now += 480;
        assertThat(detector.judge(ALL, now).dead()).isEmpty();
    }

    @Test
    void aServerThatComesBackInTimeIsNotSuspected() {
        pass(100, A, B, C);
        detector.broken(C, now);
        assertThat(pass(200, A, B, C).dead()).isEmpty();
        assertThat(passMany(7, 100, A, B).dead()).isEmpty();
    }

    @Test
    void aNewLeaderCountsEveryoneAsJustHeard() {
        passMany(9, 100, A, B);
        begin();
        assertThat(passMany(9, 100, A, B).dead()).isEmpty();
        assertThat(pass(100, A, B).dead()).containsExactly(C);
    }

    @Test
    void aLateTickCountsEveryoneAsJustHeard() {
        passMany(5, 100, A, B, C);
        detector.broken(C, now);
        now += 3_000;
        assertThat(detector.judge(ALL, now)).isEqualTo(new Silence(List.of(), false));
        assertThat(passMany(2, 100, A, B).dead()).isEmpty();
        assertThat(pass(100, A, B).dead()).containsExactly(C);
    }

    @Test
    void aServerThatWasNeverHeardGetsTheWholeTime() {
        Incarnation young = new Incarnation("d", 9);
        List<Incarnation> more = List.of(A, B, C, young);
        passMany(20, 100, A, B, C);
        hear(A, B, C);
        now += 100;
        assertThat(detector.judge(more, now).dead()).isEmpty();
        for (int i = 0; i < 9; i++) {
            hear(A, B, C);
            now += 100;
            assertThat(detector.judge(more, now).dead()).isEmpty();
        }
        hear(A, B, C);
        now += 100;
        assertThat(detector.judge(more, now).dead()).containsExactly(young);
    }

    @Test
    void whenMostFallSilentAProofIsWantedFirst() {
        assertThat(passMany(10, 100, A)).isEqualTo(new Silence(List.of(), true));
        assertThat(passMany(20, 100, A)).isEqualTo(new Silence(List.of(), true));
    }

    @Test
    void afterTheProofOneMorePeriodIsWaited() {
        passMany(10, 100, A);
        detector.proved(now);
        assertThat(passMany(9, 100, A)).isEqualTo(new Silence(List.of(), false));
        assertThat(pass(100, A).dead()).containsExactly(B, C);
    }

    @Test
    void whoSpeaksUpAfterTheProofLives() {
        passMany(10, 100, A);
        detector.proved(now);
        passMany(5, 100, A);
        assertThat(passMany(20, 100, A, B).dead()).containsExactly(C);
    }

    @Test
    void anOldProofDoesNotServeTheNextMassSilence() {
        passMany(10, 100, A);
        detector.proved(now);
        passMany(5, 100, A, B, C);
        assertThat(passMany(9, 100, A).dead()).isEmpty();
        assertThat(pass(100, A)).isEqualTo(new Silence(List.of(), true));
    }

    @Test
    void theDeadAreForgotten() {
        passMany(10, 100, A, B);
        hear(A, B);
        now += 100;
        assertThat(detector.judge(List.of(A, B), now).dead()).isEmpty();
    }

    private Silence pass(long millis, Incarnation... heard) {
        hear(heard);
        now += millis;
        return detector.judge(ALL, now);
    }

    private Silence passMany(int times, long millis, Incarnation... heard) {
        Silence last = new Silence(List.of(), false);
        for (int i = 0; i < times; i++) {
            last = pass(millis, heard);
        }
        return last;
    }

    private void hear(Incarnation... heard) {
        for (Incarnation incarnation : heard) {
            detector.heard(incarnation, now);
        }
    }
}
