package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.chaos.system.Folders;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the Kubernetes manifests as processes in their own namespaces, and checks what clients see when pods leave. No time is asserted; the
 * table of times is printed.
 */
@Tag("nightly")
class PodsIT {
    private static final Path SOURCE = Path.of("..", "..").toAbsolutePath().normalize();

    @Test
    @Timeout(1800)
    void whenPodsAreDeletedAndRolledAllBecomeReadyAgainAndNoRequestFailsAndNothingIsLost()
            throws IOException, InterruptedException {
        Optional<String> missing = Sandbox.missing();
        assumeThat(missing)
                .as("the manifests are not run: %s", missing.orElse(""))
                .isEmpty();
        Path folder = Folders.fresh("pods");
        Path printed = folder.resolve("printed");

        int status = Sandbox.run(
                PodsCommand.arguments(folder, SOURCE, null, PodsCommand.USUAL),
                Redirect.to(Files.createFile(printed).toFile()));

        String text = Files.readString(printed);
        System.out.println(text);
        assertThat(status).as(text).isZero();
        assertThat(text.lines().filter(line -> line.startsWith("| the ") || line.startsWith("| a ")))
                .hasSize(1 + PodsCommand.USUAL.size());
        assertThat(leftovers(folder)).isEmpty();
    }

    /** Devices, namespaces, mounts and processes of the sandbox, seen from outside. */
    private static List<String> leftovers(Path folder) throws IOException {
        List<String> left = new ArrayList<>();
        Shell.script("ip -o link; ls -A /run/netns 2>/dev/null || true; cat /proc/mounts")
                .lines()
                .filter(line -> line.contains("pod0") || line.contains(folder.toString()))
                .forEach(left::add);
        ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(command -> command.contains(folder.toString()))
                .forEach(left::add);
        return left;
    }
}
