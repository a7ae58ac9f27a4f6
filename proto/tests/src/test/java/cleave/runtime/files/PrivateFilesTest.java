package cleave.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs({OS.LINUX, OS.MAC})
class PrivateFilesTest {
    @TempDir
    private Path folder;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private Path open(String name) throws IOException {
        Path made = Files.createDirectory(folder.resolve(name));
        return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void newFoldersAreTheirOwnersAlone() throws IOException {
        assertThat(mode(PrivateFiles.make(folder.resolve("a").resolve("b")))).isEqualTo("rwx------");
        assertThat(mode(folder.resolve("a"))).isEqualTo("rwx------");
        assertThat(mode(PrivateFiles.makeNamed(folder.resolve("c").resolve("d"))))
                .isEqualTo("rwx------");
    }

    @Test
    void aNamedFolderKeepsItsModeAndOneInsideIsClosed() throws IOException {
        assertThat(mode(PrivateFiles.makeNamed(open("named")))).isEqualTo("rwxr-xr-x");
        assertThat(mode(PrivateFiles.make(open("inside")))).isEqualTo("rwx------");
    }

    @Test
    void newFilesAreTheirOwnersAlone() throws IOException {
        Path file = folder.resolve("file");
        try (FileChannel made = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(made.isOpen()).isTrue();
        }
        assertThat(mode(file)).isEqualTo("rw-------");
        Path text = folder.resolve("text");
        PrivateFiles.write(text, "a long text");
        assertThat(mode(PrivateFiles.write(text, "short"))).isEqualTo("rw-------");
        assertThat(Files.readString(text)).isEqualTo("short");
    }
}
