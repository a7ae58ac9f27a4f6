package cleave.chaos.pods;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Commands of the operating system. Stateless. */
final class Shell {
    private Shell() {}

    /** Runs a script of {@code sh}, which ends at the first failure; returns its output. */
    static String script(String lines) throws IOException {
        return run("sh", "-ec", lines);
    }

    /** The output of the command; IOException with its errors if it fails. */
    static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + status + ": " + printed.trim());
            }
            return printed;
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + command[0], interrupted);
        }
    }
}
