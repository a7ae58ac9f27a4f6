package cleave.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.File;
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
        Path library =
                Files.createDirectories(build.resolve("deploy/target/lib")).resolve("library.jar");
        Path jar = build.resolve("deploy/target/deploy-1.jar");
        Files.createFile(library);
        Files.createFile(jar);
        Files.createFile(jar.resolveSibling("deploy-1-tests.jar"));

        assertThat(ClassArchive.jarsOf(build).split(File.pathSeparator)).containsExactly("" + jar, "" + library);
    }

    @Test
    void aFolderWithoutABuildOfTheRolesIsNoBug() throws IOException {
        Path engine = Files.createDirectories(build.resolve("dfs-stub/bookkeeper/target"));
        Files.createFile(engine.resolve("dfs-bookkeeper-1.jar"));

        assertThatThrownBy(() -> ClassArchive.jarsOf(build))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("nothing is built in " + build + "; call ./cleave --version there first");
    }
}
