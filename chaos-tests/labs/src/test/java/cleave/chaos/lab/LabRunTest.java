package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of labs that do not get to their ends. */
class LabRunTest {
    private static final LabCard CARD = Labs.all().get(0).card();
    private static final Endpoint ENDPOINT = Endpoint.development(1);
    private static final LabSystem GIVEN = LabSystem.of(ENDPOINT);
    private static final LabSystem OWN = new LabSystem(ENDPOINT, null, null, true);

    @TempDir
    private Path dir;

    private interface Checks {
        void run() throws IOException;
    }

    /** Claims something that holds, and then does something else. */
    private Report report(LabSystem system, Checks checks) {
        Experiment experiment = run -> {
            run.claim("the first claim", true, "1");
            checks.run();
        };
        return LabRun.run(new Lab(CARD, experiment), system, BlobStores.inFolder(dir), true, line -> {});
    }

    @Test
    void anExceptionInACheckIsAClaimThatFailsWithWhatWasSeenAndTheLineOfTheLab() {
        Report report = report(GIVEN, () -> LabEntity.of("p", "r").bytes("H09"));

        assertThat(report.isRight()).isFalse();
        assertThat(report.claims()).hasSize(2);
        assertThat(report.claims().get(0).holds()).isTrue();
        assertThat(report.claims().get(1).holds()).isFalse();
        assertThat(report.claims().get(1).seen())
                .matches("p/r has no binary property H09; LabRunTest\\.java, line \\d+");
        assertThat(TextReport.seen(report)).contains("  FAILS  the lab gets to its end");
        Page.of(report);
    }

    @Test
    void anAnswerThatEndsALabIsAClaimThatFails() {
        Report report = report(GIVEN, () -> {
            throw new IOException("no entity p/r in T");
        });

        assertThat(report.claims().get(1).seen()).startsWith("no entity p/r in T");
    }

    @Test
    void anEndpointOfTheUsersThatDoesNotAnswerIsNoClaim() {
        assertThatThrownBy(() -> report(GIVEN, () -> {
                    throw new IOException("a client failed", new ConnectException("Connection refused"));
                }))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(4))
                .hasMessageContaining(ENDPOINT + " does not answer");
    }

    @Test
    void aProcessOfItsOwnThatDoesNotAnswerIsAClaimThatFails() {
        Report report = report(OWN, () -> {
            throw new ConnectException("Connection refused");
        });

        assertThat(report.claims().get(1).seen()).startsWith("Connection refused");
        assertThat(report(OWN, () -> {
                            throw CommandFailure.unreachable("no master leads");
                        })
                        .claims()
                        .get(1)
                        .seen())
                .startsWith("no master leads");
    }

    @Test
    void aClusterOfTheUsersThatDoesNotSufficeIsTold() {
        assertThatThrownBy(() -> report(GIVEN, () -> {
                    throw CommandFailure.usage("this lab needs three servers");
                }))
                .hasMessage("this lab needs three servers");
    }
}
