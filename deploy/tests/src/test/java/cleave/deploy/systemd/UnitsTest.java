package cleave.deploy.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.deploy.Cleave;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The units of systemd: systemd understands each line of them, and Cleave the commands that they run. */
class UnitsTest {
    private static final Path UNITS = Path.of("..", "systemd").toAbsolutePath().normalize();
    private static final String COMMAND = "ExecStart=/opt/cleave/bin/cleave ";

    /** The root of a machine that has units, and what they refer to. */
    @TempDir
    private Path root;

    private Path installed = Path.of("");

    @BeforeEach
    void install() throws IOException {
        installed = Files.createDirectories(root.resolve("etc/systemd/system"));
        for (String name : List.of("cleave@.service", "cleave-standalone.service")) {
            Files.copy(UNITS.resolve(name), installed.resolve(name));
        }
        for (String name : List.of("sysinit", "basic", "shutdown", "network-online", "multi-user")) {
            Files.writeString(installed.resolve(name + ".target"), "[Unit]\nDescription=" + name + "\n");
        }
        Path command = root.resolve("opt/cleave/bin/cleave");
        Files.createDirectories(command.getParent());
        Files.writeString(command, "#!/bin/sh\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    /** What systemd says about a unit, which is nothing if all is well. */
    private String verified(String unit) throws IOException, InterruptedException {
        boolean hasSystemd = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "systemd-analyze")));
        assumeThat(hasSystemd)
                .as("there is no systemd-analyze on the PATH: the units in deploy/systemd are not verified")
                .isTrue();
        Process process = new ProcessBuilder("systemd-analyze", "verify", "--man=no", "--root=" + root, unit)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return said;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cleave@server.service", "cleave-standalone.service"})
    void systemdUnderstandsAUnit(String unit) throws Exception {
        assertThat(verified(unit)).isEmpty();
    }

    @Test
    void aMisspeltLineOfAUnitIsFound() throws Exception {
        Path unit = installed.resolve("cleave@.service");
        Files.writeString(unit, Files.readString(unit).replace("ProtectHome=", "ProtectHomes="));
        assertThat(verified("cleave@server.service")).contains("ProtectHomes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dfs", "master", "server", "front-end"})
    void cleaveUnderstandsTheCommandOfARole(String role) throws IOException {
        assertThatCode(() -> Cleave.commandLine().parseArgs(command("cleave@.service", role)))
                .doesNotThrowAnyException();
    }

    @Test
    void cleaveUnderstandsTheCommandOfAStandalone() throws IOException {
        assertThatCode(() -> Cleave.commandLine().parseArgs(command("cleave-standalone.service", "")))
                .doesNotThrowAnyException();
    }

    private static String[] command(String unit, String instance) throws IOException {
        return Files.readAllLines(UNITS.resolve(unit)).stream()
                .filter(line -> line.startsWith(COMMAND))
                .findFirst()
                .orElseThrow()
                .substring(COMMAND.length())
                .replace("%i", instance)
                .split(" ");
    }
}
