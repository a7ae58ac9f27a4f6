package cleave.chaos.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class PictureOptionTest {
    @TempDir
    private Path dir;

    @Command
    private static final class Drawing {
        @Mixin
        private final PictureOption picture = new PictureOption();
    }

    private static PictureOption of(String... arguments) {
        Drawing drawing = new Drawing();
        new CommandLine(drawing).parseArgs(arguments);
        return drawing.picture;
    }

    @Test
    void pictureIsInTheFolderOfTheRunUnlessAFileIsNamed() throws IOException {
        Path other = dir.resolve("drill.svg");

        RunFolder folder = RunFolder.named(dir);
        assertThat(of().in(folder)).isEqualTo(dir.resolve("picture.svg"));
        assertThat(of("--picture", other.toString()).in(folder)).isEqualTo(other);
        assertThat(PictureOption.write(other, "<svg/>")).isEqualTo("The picture is " + other + "\n");
        assertThat(other).hasContent("<svg/>");
    }

    @Test
    void whatCannotBeWrittenIsRefusedBeforeTheRun() {
        assertThatThrownBy(() -> of("--picture", dir.toString()).in(RunFolder.named(dir)))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("--picture must name a file in a folder that exists: " + dir + " is a folder");
        assertThatThrownBy(() -> of(
                                "--picture",
                                dir.resolve("none").resolve("a.svg").toString())
                        .in(RunFolder.named(dir)))
                .hasMessage("--picture must name a file in a folder that exists: there is no folder "
                        + dir.resolve("none"));
    }
}
