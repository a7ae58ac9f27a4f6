package cleave.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process that a command started ends with it, also when the command is told to end. */
class DependentsTest {
    @Test
    void theyEndWithTheProcessThatStartedThem() throws Exception {
        Process starter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName())
                .start();
        try (BufferedReader out = starter.inputReader()) {
            ProcessHandle dependent =
                    ProcessHandle.of(Long.parseLong(out.readLine())).orElseThrow();

            starter.destroy();

            assertThat(starter.waitFor(30, TimeUnit.SECONDS)).isTrue();
            // One that ended, and that nobody has waited for, has no command.
            Patience.ofSeconds(30)
                    .until(
                            "it has ended",
                            () -> !dependent.isAlive()
                                    || dependent.info().command().isEmpty());
        } finally {
            starter.destroyForcibly();
        }
    }

    static final class Starter {
        private Starter() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            Process sleeping = new ProcessBuilder("sleep", "600").start();
            Dependents.add(sleeping.toHandle());
            System.out.println(sleeping.pid());
            sleeping.waitFor();
        }
    }
}
