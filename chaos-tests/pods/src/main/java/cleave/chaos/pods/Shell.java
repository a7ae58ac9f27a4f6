package cleave.chaos.pods;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands of the operating system. Stateless. */
final class Shell {
    private Shell() {}

    /** Runs a script of {@code sh}, which ends at the first failure; returns its output. */
    static String script(String lines) throws IOException {
        return run("sh", "-ec", lines);
    }

    /** The output of the command; IOException with its errors if it fails. */
    static String run(String... command) throws IOException {
        return run(List.of(command), null);
    }

    /** @param errors a file for errors, which are otherwise part of the output */
    static String run(List<String> command, @Nullable Path errors) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(errors == null);
        if (errors != null) {
            builder.redirectError(errors.toFile());
        }
        Process process = builder.start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int status = process.waitFor();
            if (status != 0) {
                String why = errors == null ? printed : Files.readString(errors);
                throw new IOException(String.join(" ", command) + " ended with " + status + ": " + why.trim());
            }
            return printed;
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + command.get(0), interrupted);
        }
    }
}
