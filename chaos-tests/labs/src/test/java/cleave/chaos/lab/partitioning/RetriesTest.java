package cleave.chaos.lab.partitioning;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.RecordedRun;
import cleave.chaos.lab.partitioning.Retries.Attempt;
import cleave.chaos.lab.partitioning.Retries.Seen;
import cleave.client.RetryPolicy;
import cleave.client.RetryPolicy.Strategy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the lab makes of what it measured. */
class RetriesTest {
    private static final int CLIENTS = 24;

    private final RecordedRun recorded = new RecordedRun();

    private static Seen seen(Strategy strategy, int served, int refused, double answerSeconds) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < served + refused; i++) {
            attempts.add(new Attempt(i, answerSeconds, i < refused));
        }
        RetryPolicy policy = new RetryPolicy(strategy, 100, 0.3, 0.03, 0.9, 0.8, 1.2);
        return new Seen(policy, CLIENTS, served, attempts);
    }

    private void judged(int fixed, int exponential, double answerSeconds) {
        List<Seen> seen = List.of(
                seen(Strategy.NONE, 2, 22, answerSeconds),
                seen(Strategy.FIXED, CLIENTS, fixed, answerSeconds),
                seen(Strategy.EXPONENTIAL, CLIENTS, exponential, answerSeconds));
        Retries.report(recorded.run(), seen, CLIENTS);
        Retries.claims(recorded.run(), seen, CLIENTS);
    }

    @Test
    void whatWasMeasuredIsClaimed() {
        judged(436, 181, 0.01);

        assertThat(recorded.claims())
                .contains("holds so they do with the service")
                .noneMatch(RetriesTest::fails);
        assertThat(recorded.drawn()).containsExactly("Requests of 24 clients that ask at the same moment");
    }

    @Test
    void figuresThatShowTheOppositeAreAClaimThatFails() {
        judged(102, 131, 0.01);

        assertThat(recorded.claims()).contains("FAILS so they do with the service");
    }

    /** The figures of a machine with a load of 25. */
    @Test
    void aMachineThatIsTooSlowIsToldAndNothingIsClaimedOrDrawnOfItsFigures() {
        judged(102, 131, 0.9);

        assertThat(recorded.said())
                .anyMatch(said -> said.startsWith("This machine was too slow: an answer took 0.90 s"));
        assertThat(recorded.claims()).noneMatch(claim -> claim.contains("service"));
        assertThat(recorded.drawn())
                .containsExactly("In the model: requests of 24 clients that ask at the same moment");
    }

    private static boolean fails(String claim) {
        return claim.startsWith("FAILS");
    }
}
