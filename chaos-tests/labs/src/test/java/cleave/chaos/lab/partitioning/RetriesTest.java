package cleave.chaos.lab.partitioning;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Labs;
import cleave.chaos.lab.Measurement;
import cleave.chaos.lab.RecordedRun;
import cleave.chaos.lab.partitioning.Retries.Attempt;
import cleave.chaos.lab.partitioning.Retries.Seen;
import cleave.chaos.lab.partitioning.Retries.Way;
import cleave.chaos.lab.script.Script;
import cleave.client.RetryPolicy;
import cleave.client.RetryPolicy.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The claims and pictures of the lab's page for different measurements. */
class RetriesTest {
    private static final int CLIENTS = 24;

    private final RecordedRun recorded = new RecordedRun();

    /** The measurements that the lab's page is told. */
    private static List<Way> ways = List.of();

    /** Stands for the measurement. */
    private static final class Told implements Measurement {
        @Override
        public Object of(LabRun run) {
            return Seen.of(ways);
        }
    }

    private static Way way(Strategy strategy, int served, int refused, double answerSeconds) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < served + refused; i++) {
            attempts.add(new Attempt(i, answerSeconds, i < refused));
        }
        RetryPolicy policy = new RetryPolicy(strategy, 100, 0.3, 0.03, 0.9, 0.8, 1.2);
        return new Way(policy, CLIENTS, served, attempts);
    }

    private void judged(int fixed, int exponential, double answerSeconds) throws IOException {
        ways = List.of(
                way(Strategy.NONE, 2, 22, answerSeconds),
                way(Strategy.FIXED, CLIENTS, fixed, answerSeconds),
                way(Strategy.EXPONENTIAL, CLIENTS, exponential, answerSeconds));
        String page = Labs.all().stream()
                .filter(lab -> lab.toString().equals("retries"))
                .findFirst()
                .orElseThrow()
                .card()
                .page();
        String script = page.substring(page.indexOf("```lab") + "```lab\n".length(), page.lastIndexOf("```"));
        String told = script.replace(Retries.class.getName(), Told.class.getName());
        Script.read("retries.md", 1, told.lines().toList()).run(recorded.run());
    }

    @Test
    void whatWasMeasuredIsClaimed() throws IOException {
        judged(436, 181, 0.01);

        assertThat(recorded.claims())
                .contains("holds so they do with the service")
                .noneMatch(claim -> claim.startsWith("FAILS"));
        assertThat(recorded.drawn())
                .endsWith("Requests of 24 clients that ask at the same moment")
                .hasSize(2);
    }

    @Test
    void figuresThatShowTheOppositeAreAClaimThatFails() throws IOException {
        judged(102, 131, 0.01);

        assertThat(recorded.claims()).contains("FAILS so they do with the service");
    }

    /** The figures of a machine with a load of 25. */
    @Test
    void aMachineThatIsTooSlowIsToldAndNothingIsClaimedOrDrawnOfItsFigures() throws IOException {
        judged(102, 131, 0.9);

        assertThat(recorded.said())
                .anyMatch(said -> said.startsWith("This machine was too slow: an answer took 0.90 s"));
        assertThat(recorded.claims()).noneMatch(claim -> claim.contains("with the service"));
        assertThat(recorded.drawn())
                .endsWith("In the model: requests of 24 clients that ask at the same moment")
                .hasSize(2);
    }
}
