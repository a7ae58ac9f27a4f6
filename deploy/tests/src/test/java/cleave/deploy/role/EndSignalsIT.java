package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sends real signals to a separate process. */
@Timeout(300)
class EndSignalsIT {
    /** Says which signal it has seen. */
    public static final class Listener {
        private Listener() {}

        public static void main(String[] args) throws InterruptedException {
            EndSignals signals = EndSignals.ofThisProcess();
            System.out.println("listens");
            signals.awaitAsked(Long.MAX_VALUE);
            System.out.println("asked, hurried=" + signals.isHurried());
            signals.awaitHurried(Long.MAX_VALUE);
            System.out.println("hurried=" + signals.isHurried());
        }
    }

    @Test
    void theFirstSignalAsksAndTheSecondHurries() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Listener.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("listens");
            process.toHandle().destroy(); // Unlike Process.destroy, it closes no stream.
            assertThat(out.readLine()).isEqualTo("asked, hurried=false");
            process.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("hurried=true");
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
