package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MavenTestsTest {
    private static final Check CHECK = new Check(Check.Kind.TESTS, List.of("ATest"), "why");

    private static Check.Result judged(int status, String printed) {
        MavenTests tests = new MavenTests(Path.of("root"), "a/tests", Duration.ofMinutes(1), Path.of("log"));
        return tests.judged(
                CHECK, new Child.Ended(status, false, printed.lines().toList()), System.nanoTime());
    }

    @Test
    void testsThatFailedAreToldWithTheirMessages() {
        Check.Result result = judged(1, """
                [INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in BTest
                [ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 1.2 s <<< FAILURE! -- in ATest
                java.lang.AssertionError:
                [ERROR] Failures:
                [ERROR]   ATest.aLoadRests:17
                Expecting empty but was: [1]
                [ERROR] Errors:
                [ERROR]   ATest.aReadJoinsNoBarrier:9 OutOfMemory
                [INFO]
                [ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0
                """);

        assertThat(result.verdict()).isEqualTo(Check.Result.WRONG);
        assertThat(result.summary()).isEqualTo("1 of 3");
        assertThat(result.details())
                .containsExactly(
                        "- ATest.aLoadRests:17 Expecting empty but was: [1]",
                        "- ATest.aReadJoinsNoBarrier:9 OutOfMemory");
    }

    @Test
    void testsThatPassAndCodeThatDoesNotCompileAreTold() {
        String right = "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1";
        assertThat(judged(0, right).isPassed()).isTrue();
        assertThat(judged(1, right).isPassed()).isFalse();
        assertThat(judged(1, "[ERROR] COMPILATION ERROR : ").summary()).isEqualTo("does not compile");
        assertThat(judged(1, "").summary()).isEqualTo("no test ran");
    }
}
