package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.LauncherTree.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the project: what it has Maven build before it runs a command. */
class LauncherBuildTest {
    @TempDir
    private Path dir;

    private LauncherTree tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = new LauncherTree(dir);
        tree.java("jdk", "21");
        tree.write("pom.xml", "");
        tree.environment.put("CLEAVE_ARCHIVE", "no");
    }

    @Test
    void whereNothingIsBuiltAndNoMavenIsThereItSaysWhatToInstall() throws Exception {
        for (String tool :
                List.of("sh", "dirname", "readlink", "find", "head", "mkdir", "cat", "rm", "sed", "ls", "sort")) {
            Path found = Path.of("/bin", tool);
            Files.createSymbolicLink(tree.bin.resolve(tool), Files.exists(found) ? found : Path.of("/usr/bin", tool));
        }
        tree.environment.put("PATH", tree.bin.toString());

        Ran ran = tree.launch();

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("Maven 3.8 or newer is needed");
        assertThat(tree.root.resolve(".cleave").resolve("build.lock")).doesNotExist();
    }

    /** Its Maven logs its arguments and makes the jars of the modules that it is to build. */
    private void withMaven() throws IOException {
        for (String module :
                List.of("deploy", "deploy/objects", "dfs-stub/bookkeeper", "chaos-tests/labs", "partition-server")) {
            Files.createDirectories(tree.root.resolve(module + "/src/main/java"));
            tree.write(module + "/pom.xml", "");
        }
        tree.write("chaos-tests/commands", "load     puts a load on it\n");
        tree.maven("""
                echo "$*" >>"%1$s/mvn-calls"
                cd "%1$s" || exit 1
                echo "[INFO] Building Cleave proto 0.1.0-SNAPSHOT    [2/8]"
                case "$*" in *deploy*) mkdir -p deploy/target/lib; : >deploy/target/deploy-1.jar ;; esac
                case "$*" in *objects*) mkdir -p deploy/objects/target/lib; : >deploy/objects/target/deploy-objects-1.jar ;; esac
                case "$*" in *bookkeeper*) mkdir -p dfs-stub/bookkeeper/target/lib; : >dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar ;; esac
                case "$*" in *chaos-tests*) mkdir -p chaos-tests/target/lib chaos-tests/labs/target; : >chaos-tests/labs/target/chaos-labs-1.jar ;; esac
                """.formatted(tree.root));
    }

    private List<String> mavenCalls() throws IOException {
        return Files.readAllLines(tree.root.resolve("mvn-calls"));
    }

    @Test
    void whatACommandNeedsIsBuiltAndThenRun() throws Exception {
        withMaven();

        assertThat(tree.out("standalone")).contains("building what 'standalone' needs", "Cleave proto", "ran with");
        assertThat(tree.out("demo")).doesNotContain("building").contains("ran with");
        assertThat(tree.out("engine")).contains("building what 'engine' needs", "ran with");
        assertThat(tree.out("backup", "s3://backups/c")).contains("building what 'backup' needs");
        assertThat(tree.out("load")).contains("building what 'load' needs", "ran with");
        assertThat(tree.out("load")).doesNotContain("building").contains("ran with");

        assertThat(mavenCalls())
                .satisfiesExactly(
                        product -> assertThat(product)
                                .contains("-Dmaven.test.skip=true")
                                .endsWith("-pl deploy -am"),
                        engine -> assertThat(engine).endsWith("-pl deploy,dfs-stub/bookkeeper -am"),
                        objects -> assertThat(objects).endsWith("-pl deploy,deploy/objects -am"),
                        tools -> assertThat(tools).endsWith("-pl deploy,chaos-tests/labs,chaos-tests/tools -am"));
    }

    @Test
    void thePeersOfABenchmarkAreFetchedWhenTheyAreAskedFor() throws Exception {
        withMaven();
        tree.write("chaos-tests/commands", "bench     compares\n");

        assertThat(tree.out("bench")).contains("building", "ran with");
        assertThat(tree.out("bench", "--peer", "nobody")).doesNotContain("building");
        assertThat(tree.out("bench", "--peer", "postgres")).contains("building", "ran with");
        Files.createDirectories(tree.root.resolve("chaos-tests/peers/postgres/target/lib"));
        assertThat(tree.out("bench", "--peer=postgres")).doesNotContain("building");
        assertThat(tree.out("bench", "--peer=postgres,cassandra")).contains("building");

        assertThat(mavenCalls())
                .satisfiesExactly(
                        tools -> assertThat(tools).doesNotContain("peers"),
                        one -> assertThat(one)
                                .contains(" -Ppeers package ")
                                .endsWith("chaos-tests/tools,chaos-tests/peers/postgres -am"),
                        both -> assertThat(both)
                                .endsWith("chaos-tests/peers/cassandra,chaos-tests/peers/postgres -am"));
    }

    @Test
    void anEditIsBuiltForTheCommandsThatNeedIt() throws Exception {
        withMaven();
        tree.launch("load");
        FileTime later = FileTime.from(Instant.now().plusSeconds(60));
        Path lab = tree.write("chaos-tests/labs/src/main/java/Lab.java", "");

        Files.setLastModifiedTime(lab, later);
        assertThat(tree.out("standalone")).doesNotContain("building");
        assertThat(tree.out("load")).contains("building");

        Files.setLastModifiedTime(lab, FileTime.fromMillis(0));
        Files.setLastModifiedTime(tree.root.resolve("chaos-tests/labs/src/main/java"), FileTime.fromMillis(0));
        Files.setLastModifiedTime(tree.root.resolve("partition-server/src/main/java"), later);
        assertThat(tree.out("standalone")).contains("building");
        assertThat(tree.out("load")).contains("building");
    }

    @Test
    void aFailedBuildIsToldWithItsErrors() throws Exception {
        tree.maven("""
                case "$*" in *-version*) echo "Apache Maven 3.9.1"; exit ;; esac
                echo "[ERROR] it does not compile"
                exit 1
                """);

        Ran ran = tree.launch();

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out())
                .contains("[ERROR] it does not compile", "the build failed")
                .doesNotContain("ran with");
    }
}
