package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class GivenSettingsTest {
    @TempDir
    private Path dir;

    @Command
    private static final class Any {
        @Mixin
        private GivenSettings given = new GivenSettings();
    }

    private static Settings parsed(String... arguments) {
        Any any = new Any();
        new CommandLine(any).parseArgs(arguments);
        return any.given.read();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("role.properties"), text);
    }

    @Test
    void theCommandLineOverridesTheFile() throws IOException {
        Path file = file("# comment\nserver.id = s1\nmasters=a:1,b:2\nserver.name=Zürich\n");

        Settings settings = parsed("--config", file.toString(), "--set", "server.id=s2", "--set", "x=a=b");

        assertThat(settings.text("server.id")).isEqualTo("s2");
        assertThat(settings.list("masters", "")).containsExactly("a:1", "b:2");
        assertThat(settings.text("server.name")).isEqualTo("Zürich");
        assertThat(settings.text("x")).isEqualTo("a=b");
    }

    @Test
    void aKeyGivenTwiceInTheFileIsRefused() throws IOException {
        Path file = file("server.id=s1\nserver.id=s2\n");

        assertThatThrownBy(() -> parsed("--config", file.toString()))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("gives server.id twice");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> parsed("--config", dir.resolve("absent").toString()))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("absent");
    }

    @Test
    void aMalformedEscapeInTheFileIsRefused() throws IOException {
        Path file = file("server.id=\\uZZZZ\n");

        assertThatThrownBy(() -> parsed("--config", file.toString()))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("malformed");
    }

    @Test
    void anAssignmentWithoutEqualsSaysWhatToWrite() {
        assertThatThrownBy(() -> GivenSettings.ofAssignments(List.of("server.id")))
                .isInstanceOf(BadSetting.class)
                .hasMessage("'server.id' is no setting; write --set key=value");
    }

    @Test
    void ofTwoAssignmentsTheLastWins() {
        assertThat(GivenSettings.ofAssignments(List.of("a=1", "b= 2 ", "a=3"))).isEqualTo(Map.of("a", "3", "b", "2"));
    }
}
