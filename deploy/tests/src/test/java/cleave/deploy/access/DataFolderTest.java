package cleave.deploy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.runtime.files.FolderLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFolderTest {
    private static final DataFolder STANDALONE = new DataFolder("standalone", "--data", Pattern.compile("dfs|master"));
    private static final DataFolder CLUSTER = new DataFolder("cluster", "--dir", Pattern.compile("accounts|dfs-\\d+"));

    @TempDir
    private Path dir;

    private static List<String> entries(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(Path::toString).sorted().toList();
        }
    }

    private void make(String name) throws IOException {
        if (name.endsWith("/")) {
            Files.createDirectories(dir.resolve(name));
        } else {
            Files.writeString(dir.resolve(name), "x");
        }
    }

    private static void assertRefused(DataFolder kind, Path folder, String why) {
        assertThatThrownBy(() -> kind.take(folder))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.TAKEN))
                .hasMessageContaining(why)
                .hasMessageContaining("give another by " + kind.option() + ". Nothing was changed")
                .hasMessageNotContaining("\n")
                .hasMessageNotContaining("Exception");
    }

    @ParameterizedTest
    @CsvSource({
        "file, file: it is not a folder",
        "file/below, Not a directory",
        "locked, locked/lock: Is a directory",
        "/proc/none, /proc/none: no such file or folder"
    })
    void whatCannotBeUsedIsRefusedWithTheReason(String name, String why) throws IOException {
        make("file");
        make("locked/lock/");
        List<String> before = entries(dir);

        assertRefused(STANDALONE, dir.resolve(name), why);

        assertThat(entries(dir)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"notes.txt", ".bashrc", "Documents/", "dfs-1/"})
    void aFolderOfOtherThingsIsNotAdopted(String stranger) throws IOException {
        make("dfs/");
        make(stranger);
        List<String> before = entries(dir);

        assertRefused(STANDALONE, dir, "holds other things, such as '" + stranger.replace("/", "") + "'");

        assertThat(entries(dir)).isEqualTo(before);
    }

    @Test
    void neitherFormTakesTheFolderOfTheOther() throws IOException {
        make("cluster-id");
        List<String> before = entries(dir);
        assertRefused(CLUSTER, dir, "is that of a standalone; use it with 'cleave standalone'");
        assertThat(entries(dir)).isEqualTo(before);

        make("cluster.properties");
        before = entries(dir);
        assertRefused(STANDALONE, dir, "is that of a cluster; use it with 'cleave cluster'");
        assertThat(entries(dir)).isEqualTo(before);
        CLUSTER.take(dir).close();
    }

    /**
     * A new folder, a mounted disk, the remains of a start that was killed half-way, and its own folder to which a user has added
     * something.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "lost+found/", "lock", "master/,dfs/,.deployment.properties7.tmp", "cluster-id,master/,out"})
    void itsOwnAndEmptyOnesAreTaken(String names) throws IOException {
        for (String name : names.split(",")) {
            if (!name.isEmpty()) {
                make(name);
            }
        }
        STANDALONE.take(dir).close();
        STANDALONE.take(dir.resolve("not/there")).close();
    }

    @Test
    @SuppressWarnings("try") // The lock is only held.
    void oneProcessHasItAtATime() throws IOException {
        try (FolderLock held = STANDALONE.take(dir)) {
            assertRefused(
                    STANDALONE,
                    dir,
                    "is in use by another process (pid "
                            + ProcessHandle.current().pid() + "); end it, or");
            assertRefused(CLUSTER, dir, "is in use by another process");
            assertThatThrownBy(() -> FolderLock.take(dir)).isInstanceOf(FolderLock.Taken.class);
        }
        CLUSTER.take(dir).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster-id", "cluster.properties"})
    void noSingleRoleTakesTheFolderOfAWhole(String mark) throws IOException {
        DataFolder.refuseWhole(dir, "server.dir");
        make(mark);

        assertThatThrownBy(() -> DataFolder.refuseWhole(dir, "server.dir"))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.TAKEN))
                .hasMessageContaining("server.dir: the folder " + dir);
    }
}
