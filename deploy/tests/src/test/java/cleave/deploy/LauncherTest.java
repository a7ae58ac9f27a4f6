package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.LauncherTree.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the project: which Java it runs, and with which jars and options. */
class LauncherTest {
    @TempDir
    private Path dir;

    private LauncherTree tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = new LauncherTree(dir);
        tree.build();
        tree.java("jdk", "21.0.1");
        tree.environment.put("CLEAVE_ARCHIVE", "no");
    }

    @Test
    void isGoodShell() throws Exception {
        assertThat(tree.run(Map.of(), List.of("sh", "-n", LauncherTree.SCRIPT.toString())))
                .isEqualTo(new Ran(0, ""));
        assertThat(Files.readString(LauncherTree.SCRIPT))
                .startsWith("#!/bin/sh\n")
                .doesNotContain("[[", "function ", "\t");
    }

    /** The class path of a command, without the tree's folder. */
    private List<String> classPath(String... arguments) throws Exception {
        Ran ran = tree.launch(arguments);
        assertThat(ran.status()).as(ran::out).isZero();
        assertThat(ran.out())
                .contains(" cleave.deploy.Cleave " + String.join(" ", arguments))
                .contains("-Dcleave.commands=" + tree.root + "/chaos-tests/commands ");
        String jars = ran.out().replaceAll("(?s).* -cp (.*?) cleave\\.deploy\\.Cleave .*", "$1");
        return List.of(jars.replace(tree.root + "/", "").split(":"));
    }

    @Test
    void aCommandHasTheJarsThatItNeedsOnItsClassPathAndEachOnce() throws Exception {
        String product = "deploy/target/lib/library-2.jar deploy/target/deploy-1.jar deploy/target/lib/shared-1.jar";
        String engine = " dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar dfs-stub/bookkeeper/target/lib/engine-1.jar";
        String tools = " chaos-tests/labs/target/chaos-labs-1.jar";
        Path config = Files.writeString(dir.resolve("a config"), "dfs=bookkeeper://zk1/cleave\n");
        Files.writeString(dir.resolve("cluster.properties"), "dfs=bookkeeper\n");

        assertThat(classPath("x", "a b")).containsExactly(product.split(" "));
        assertThat(classPath("server", "load")).containsExactly(product.split(" "));
        assertThat(classPath("--help")).containsExactly(product.split(" "));
        assertThat(classPath("engine", "bookie")).containsExactly((product + engine).split(" "));
        assertThat(classPath("cluster", "--dfs", "bookkeeper")).containsExactly((product + engine).split(" "));
        assertThat(classPath("server", "--config", config.toString())).containsExactly((product + engine).split(" "));
        assertThat(classPath("cluster", "status", "--dir=" + dir)).containsExactly((product + engine).split(" "));
        assertThat(classPath("cluster", "status", "--dir", tree.root.toString()))
                .containsExactly(product.split(" "));
        String objects = " deploy/objects/target/deploy-objects-1.jar deploy/objects/target/lib/client-1.jar";
        assertThat(classPath("backup", "s3://backups/c")).containsExactly((product + objects).split(" "));
        assertThat(classPath("restore", "azblob://a/backups", "--dfs=bookkeeper"))
                .containsExactly((product + engine + objects).split(" "));
        assertThat(classPath("backup", "/backups/s3://")).containsExactly(product.split(" "));
        String own = " chaos-tests/target/lib/own-1.jar";
        assertThat(classPath("load", "engine"))
                .containsExactly((product + tools + " chaos-tests/target/lib/engine-1.jar" + own).split(" "));
        assertThat(classPath("secret", "--dfs=bookkeeper"))
                .containsExactly((product + engine + tools + own).split(" "));
    }

    @Test
    void aCommandThatEndsAtOnceIsStartedForThat() throws Exception {
        for (String line : List.of("-V", "--version", "server --help", "lab list", "sas table t")) {
            assertThat(tree.out(line.split(" "))).contains("-XX:TieredStopAtLevel=1");
        }
        assertThat(tree.out("standalone")).doesNotContain("-XX:TieredStopAtLevel=1");
        tree.environment.put("CLEAVE_JAVA_OPTS", "-XX:+UseZGC");
        assertThat(tree.out("--help")).contains("-XX:+UseZGC").doesNotContain("SerialGC");
    }

    @Test
    void whatItStartsMakesFilesForTheirOwnerAlone() throws Exception {
        assertThat(tree.out()).contains("umask 0077");
    }

    @Test
    void aNewerJavaIsToldThatNativeCodeIsWanted() throws Exception {
        tree.java("jdk17", "17.0.2");
        assertThat(tree.out()).doesNotContain("native-access");

        tree.java("jdk25", "25");
        assertThat(tree.out()).contains("--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow");
    }

    @Test
    void theNewestJavaAtHandIsTaken() throws Exception {
        Path old = tree.java("jdk-old", "17.0.2");
        Path newest = tree.java("jdk-new", "999.0.1");
        Files.createSymbolicLink(tree.bin.resolve("java"), newest.resolve("bin").resolve("java"));
        tree.environment.remove("CLEAVE_JAVA_HOME");
        tree.environment.put("JAVA_HOME", old.toString());
        tree.environment.put("PATH", tree.bin + ":" + System.getenv("PATH"));

        assertThat(tree.out()).contains("java of " + newest + " ran with");
    }

    @Test
    void aJavaThatIsTooOldIsSaid() throws Exception {
        tree.java("jdk11", "11.0.2");

        Ran ran = tree.launch();

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("Java 17 or newer");
    }
}
