package cleave.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {
    @TempDir
    private Path build;

    @Test
    void aBuildNeedsNoBookKeeper() throws IOException {
        Path jar = Files.createDirectories(build.resolve("deploy/target")).resolve("deploy-1.jar");
        Files.createFile(jar);
        Files.createFile(jar.resolveSibling("deploy-1-tests.jar"));

        assertThat(ClassArchive.jarsOf(build)).isEqualTo(jar.toAbsolutePath().toString());
    }

    @Test
    void aFolderWithoutABuildIsNoBug() {
        assertThatThrownBy(() -> ClassArchive.jarsOf(build))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("nothing is built in " + build + "; call ./cleave --version there first");
    }
}
