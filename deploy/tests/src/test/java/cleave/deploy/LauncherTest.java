package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.runtime.loop.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the project, run with a tree and a Java that are made up. */
class LauncherTest {
    private static final Path SCRIPT =
            Path.of("..", "..", "cleave").toAbsolutePath().normalize();
    private static final String FAKE_JAVA = """
            #!/bin/sh
            echo "java of $(dirname "$(dirname "$0")") ran with: $*"
            echo "umask $(umask)"
            """;

    @TempDir
    private Path dir;

    private Path tree;
    private Path bin;

    /** The exit status and output of a run. */
    private record Ran(int status, String out) {}

    @BeforeEach
    void makeTree() throws IOException {
        assumeThat(SCRIPT).exists();
        tree = Files.createDirectories(dir.resolve("a tree"));
        bin = Files.createDirectories(dir.resolve("bin"));
        Files.copy(SCRIPT, tree.resolve("cleave"));
    }

    private static Ran run(Path folder, Map<String, String> environment, String... command) throws Exception {
        List<String> all = new ArrayList<>(List.of(command));
        ProcessBuilder builder =
                new ProcessBuilder(all).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("CLEAVE") || name.equals("JAVA_HOME"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return new Ran(process.exitValue(), out);
    }

    private Path java(String name, String version) throws IOException {
        Path home = dir.resolve(name);
        executable(home.resolve("bin").resolve("java"), FAKE_JAVA);
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void build() throws IOException {
        for (String module : List.of("deploy", "deploy/objects", "dfs-stub/bookkeeper", "chaos-tests")) {
            Path lib = Files.createDirectories(tree.resolve(module + "/target/lib"));
            Files.writeString(lib.resolve("shared-1.jar"), "");
            Files.writeString(lib.resolve("library-2.jar"), "");
        }
        Files.writeString(tree.resolve("chaos-tests/commands"), "load     puts a load on it\nsecret\n");
        Files.writeString(tree.resolve("deploy/target/deploy-1.jar"), "");
        Files.writeString(tree.resolve("deploy/objects/target/deploy-objects-1.jar"), "");
        Files.writeString(tree.resolve("deploy/objects/target/lib/client-1.jar"), "");
        Files.writeString(tree.resolve("dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar"), "");
        Files.writeString(tree.resolve("dfs-stub/bookkeeper/target/lib/engine-1.jar"), "");
        Files.createDirectories(tree.resolve("chaos-tests/labs/target"));
        Files.createDirectories(tree.resolve("chaos-tests/labs/src/main"));
        Files.createDirectories(tree.resolve("chaos-tests/module-without-a-jar/src/test"));
        Files.writeString(tree.resolve("chaos-tests/labs/target/chaos-labs-1.jar"), "");
        Files.writeString(tree.resolve("chaos-tests/target/lib/engine-1.jar"), "");
        Files.writeString(tree.resolve("chaos-tests/target/lib/deploy-1.jar"), "");
        Files.writeString(tree.resolve("chaos-tests/target/lib/own-1.jar"), "");
    }

    private Ran launch(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(tree.resolve("cleave").toString()));
        command.addAll(List.of(arguments));
        return run(dir, environment, command.toArray(String[]::new));
    }

    @Test
    void isGoodShell() throws Exception {
        assertThat(run(dir, Map.of(), "sh", "-n", SCRIPT.toString())).isEqualTo(new Ran(0, ""));
        assertThat(Files.readString(SCRIPT)).startsWith("#!/bin/sh\n").doesNotContain("[[", "function ", "\t");
    }

    /** The class path of a command, without the tree's folder. */
    private List<String> classPath(String... arguments) throws Exception {
        Ran ran = launch(
                Map.of(
                        "CLEAVE_JAVA_HOME",
                        java("jdk", "21.0.1").toString(),
                        "CLEAVE_BUILD",
                        "no",
                        "CLEAVE_ARCHIVE",
                        "no"),
                arguments);
        assertThat(ran.status()).as(ran::out).isZero();
        assertThat(ran.out())
                .contains(" cleave.deploy.Cleave " + String.join(" ", arguments))
                .contains("-Dcleave.commands=" + tree + "/chaos-tests/commands ");
        String jars = ran.out().replaceAll("(?s).* -cp (.*?) cleave\\.deploy\\.Cleave .*", "$1");
        return List.of(jars.replace(tree + "/", "").split(":"));
    }

    @Test
    void aCommandHasTheJarsThatItNeedsOnItsClassPathAndEachOnce() throws Exception {
        build();
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
        assertThat(classPath("cluster", "status", "--dir", tree.toString())).containsExactly(product.split(" "));
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
        build();
        Map<String, String> environment = Map.of(
                "CLEAVE_JAVA_HOME", java("jdk", "21.0.1").toString(), "CLEAVE_BUILD", "no", "CLEAVE_ARCHIVE", "no");
        for (String line : List.of("-V", "--version", "server --help", "lab list", "sas table t")) {
            assertThat(launch(environment, line.split(" ")).out()).contains("-XX:TieredStopAtLevel=1");
        }
        assertThat(launch(environment, "standalone").out()).doesNotContain("-XX:TieredStopAtLevel=1");
        Map<String, String> own = new java.util.TreeMap<>(environment);
        own.put("CLEAVE_JAVA_OPTS", "-XX:+UseZGC");
        assertThat(launch(own, "--help").out()).contains("-XX:+UseZGC").doesNotContain("SerialGC");
    }

    @Test
    void whatItStartsMakesFilesForTheirOwnerAlone() throws Exception {
        build();
        Path home = java("jdk", "21.0.1");
        assertThat(launch(Map.of("CLEAVE_JAVA_HOME", home.toString(), "CLEAVE_BUILD", "no", "CLEAVE_ARCHIVE", "no"))
                        .out())
                .contains("umask 0077");
    }

    @Test
    void aNewerJavaIsToldThatNativeCodeIsWanted() throws Exception {
        build();
        Map<String, String> environment = Map.of("CLEAVE_BUILD", "no", "CLEAVE_ARCHIVE", "no");
        Map<String, String> with17 = new java.util.TreeMap<>(environment);
        with17.put("CLEAVE_JAVA_HOME", java("jdk17", "17.0.2").toString());
        Map<String, String> with25 = new java.util.TreeMap<>(environment);
        with25.put("CLEAVE_JAVA_HOME", java("jdk25", "25").toString());

        assertThat(launch(with17).out()).doesNotContain("native-access");
        assertThat(launch(with25).out())
                .contains("--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow");
    }

    @Test
    void theNewestJavaAtHandIsTaken() throws Exception {
        build();
        Path old = java("jdk-old", "17.0.2");
        Path newest = java("jdk-new", "999.0.1");
        Files.createSymbolicLink(bin.resolve("java"), newest.resolve("bin").resolve("java"));

        Ran ran = launch(Map.of(
                "JAVA_HOME",
                old.toString(),
                "PATH",
                bin + ":" + System.getenv("PATH"),
                "CLEAVE_BUILD",
                "no",
                "CLEAVE_ARCHIVE",
                "no"));

        assertThat(ran.out()).contains("java of " + newest + " ran with");
    }

    @Test
    void aJavaThatIsTooOldIsSaid() throws Exception {
        build();

        Ran ran = launch(Map.of("CLEAVE_JAVA_HOME", java("jdk11", "11.0.2").toString(), "CLEAVE_BUILD", "no"));

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("Java 17 or newer");
    }

    @Test
    void whereNothingIsBuiltAndNoMavenIsThereItSaysWhatToInstall() throws Exception {
        Path home = java("jdk", "21");
        executable(home.resolve("bin").resolve("javac"), FAKE_JAVA);
        for (String tool :
                List.of("sh", "dirname", "readlink", "find", "head", "mkdir", "cat", "rm", "sed", "ls", "sort")) {
            Path found = Path.of("/bin", tool);
            Files.createSymbolicLink(bin.resolve(tool), Files.exists(found) ? found : Path.of("/usr/bin", tool));
        }
        Files.writeString(tree.resolve("pom.xml"), "");

        Ran ran = launch(Map.of("CLEAVE_JAVA_HOME", home.toString(), "PATH", bin.toString()));

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("Maven 3.8 or newer is needed");
        assertThat(tree.resolve(".cleave").resolve("build.lock")).doesNotExist();
    }

    /** A tree whose Maven logs its arguments and makes the jars of the modules that it is to build. */
    private Map<String, String> withMaven() throws IOException {
        Path home = java("jdk", "21");
        executable(home.resolve("bin").resolve("javac"), FAKE_JAVA);
        Files.writeString(tree.resolve("pom.xml"), "");
        for (String module :
                List.of("deploy", "deploy/objects", "dfs-stub/bookkeeper", "chaos-tests/labs", "partition-server")) {
            Files.createDirectories(tree.resolve(module + "/src/main/java"));
            Files.writeString(tree.resolve(module + "/pom.xml"), "");
        }
        Files.writeString(tree.resolve("chaos-tests/commands"), "load     puts a load on it\n");
        executable(bin.resolve("mvn"), """
                #!/bin/sh
                echo "$*" >>"%1$s/mvn-calls"
                cd "%1$s" || exit 1
                echo "[INFO] Building Cleave proto 0.1.0-SNAPSHOT    [2/8]"
                case "$*" in *deploy*) mkdir -p deploy/target/lib; : >deploy/target/deploy-1.jar ;; esac
                case "$*" in *objects*) mkdir -p deploy/objects/target/lib; : >deploy/objects/target/deploy-objects-1.jar ;; esac
                case "$*" in *bookkeeper*) mkdir -p dfs-stub/bookkeeper/target/lib; : >dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar ;; esac
                case "$*" in *chaos-tests*) mkdir -p chaos-tests/target/lib chaos-tests/labs/target; : >chaos-tests/labs/target/chaos-labs-1.jar ;; esac
                """.formatted(tree));
        return Map.of(
                "CLEAVE_JAVA_HOME", home.toString(), "PATH", bin + ":" + System.getenv("PATH"), "CLEAVE_ARCHIVE", "no");
    }

    @Test
    void whatACommandNeedsIsBuiltAndThenRun() throws Exception {
        Map<String, String> environment = withMaven();

        assertThat(launch(environment, "standalone").out())
                .contains("building what 'standalone' needs", "Cleave proto", "ran with");
        assertThat(launch(environment, "demo").out()).doesNotContain("building").contains("ran with");
        assertThat(launch(environment, "engine").out()).contains("building what 'engine' needs", "ran with");
        assertThat(launch(environment, "backup", "s3://backups/c").out()).contains("building what 'backup' needs");
        assertThat(launch(environment, "load").out()).contains("building what 'load' needs", "ran with");
        assertThat(launch(environment, "load").out()).doesNotContain("building").contains("ran with");

        assertThat(Files.readAllLines(tree.resolve("mvn-calls")))
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
        Map<String, String> environment = withMaven();
        Files.writeString(tree.resolve("chaos-tests/commands"), "bench     compares\n");

        assertThat(launch(environment, "bench").out()).contains("building", "ran with");
        assertThat(launch(environment, "bench", "--peer", "nobody").out()).doesNotContain("building");
        assertThat(launch(environment, "bench", "--peer", "postgres").out()).contains("building", "ran with");
        Files.createDirectories(tree.resolve("chaos-tests/peers/postgres/target/lib"));
        assertThat(launch(environment, "bench", "--peer=postgres").out()).doesNotContain("building");
        assertThat(launch(environment, "bench", "--peer=postgres,cassandra").out())
                .contains("building");

        assertThat(Files.readAllLines(tree.resolve("mvn-calls")))
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
        Map<String, String> environment = withMaven();
        launch(environment, "load");
        FileTime later = FileTime.from(Instant.now().plusSeconds(60));
        Path lab = Files.writeString(tree.resolve("chaos-tests/labs/src/main/java/Lab.java"), "");

        Files.setLastModifiedTime(lab, later);
        assertThat(launch(environment, "standalone").out()).doesNotContain("building");
        assertThat(launch(environment, "load").out()).contains("building");

        Files.setLastModifiedTime(lab, FileTime.fromMillis(0));
        Files.setLastModifiedTime(tree.resolve("chaos-tests/labs/src/main/java"), FileTime.fromMillis(0));
        Files.setLastModifiedTime(tree.resolve("partition-server/src/main/java"), later);
        assertThat(launch(environment, "standalone").out()).contains("building");
        assertThat(launch(environment, "load").out()).contains("building");
    }

    @Test
    void aFailedBuildIsToldWithItsErrors() throws Exception {
        Path home = java("jdk", "21");
        executable(home.resolve("bin").resolve("javac"), FAKE_JAVA);
        Files.writeString(tree.resolve("pom.xml"), "");
        executable(bin.resolve("mvn"), """
                #!/bin/sh
                case "$*" in *-version*) echo "Apache Maven 3.9.1"; exit ;; esac
                echo "[ERROR] it does not compile"
                exit 1
                """);

        Ran ran = launch(Map.of("CLEAVE_JAVA_HOME", home.toString(), "PATH", bin + ":" + System.getenv("PATH")));

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out())
                .contains("[ERROR] it does not compile", "the build failed")
                .doesNotContain("ran with");
    }

    /** A tree whose warm-up writes its archives when it may, and counts the runs for that of the whole product. */
    private Map<String, String> withArchives() throws IOException {
        build();
        Path home = java("jdk", "21.0.1");
        executable(home.resolve("bin").resolve("java"), """
                #!/bin/sh
                for option in "$@"; do
                    case $option in
                        -XX:ArchiveClassesAtExit=*)
                            echo $$ >>"%1$s/runs"
                            until [ -f "%1$s/go" ]; do sleep 0.05; done
                            : >"${option#*=}"
                            exit "$(cat "%1$s/go")" ;;
                        -XX:DumpLoadedClassList=*) : >"${option#*=}"; exit ;;
                        -Xshare:dump)
                            for option in "$@"; do
                                case $option in -XX:SharedArchiveFile=*) : >"${option#*=}" ;; esac
                            done
                            exit ;;
                    esac
                done
                echo "ran with: $*"
                """.formatted(dir));
        return Map.of("CLEAVE_JAVA_HOME", home.toString(), "CLEAVE_BUILD", "no");
    }

    private List<String> runs() throws IOException {
        return Files.exists(dir.resolve("runs")) ? Files.readAllLines(dir.resolve("runs")) : List.of();
    }

    private boolean isMaking() {
        return Files.exists(tree.resolve(".cleave/archive.lock"));
    }

    private void letItEnd(int status) throws Exception {
        Await.until("the archive is being made", () -> !runs().isEmpty());
        Files.writeString(dir.resolve("go"), Integer.toString(status));
        Await.until("nothing is made", () -> !isMaking());
    }

    @Test
    void theArchiveIsMadeWhileTheCommandRunsAndOnce() throws Exception {
        Map<String, String> environment = withArchives();

        // They end, and so does their output, while the archive is still being made.
        assertThat(launch(environment, "standalone").out())
                .contains("in the background", "ran with")
                .doesNotContain("SharedArchiveFile");
        assertThat(launch(environment, "standalone").out()).doesNotContain("background", "SharedArchiveFile");
        letItEnd(0);

        assertThat(launch(environment, "standalone").out()).contains("-XX:SharedArchiveFile=");
        assertThat(runs()).hasSize(1);
    }

    @Test
    void anArchiveServesUntilAJarOfTheProductChanges() throws Exception {
        Map<String, String> environment = withArchives();
        launch(environment, "standalone");
        letItEnd(0);

        Files.writeString(tree.resolve("chaos-tests/labs/target/chaos-labs-1.jar"), "edited");
        assertThat(launch(environment, "load").out()).contains("-XX:SharedArchiveFile=");
        assertThat(launch(environment, "--help").out()).doesNotContain("background", "-XX:SharedArchiveFile=");

        Files.writeString(tree.resolve("deploy/target/deploy-1.jar"), "edited");
        assertThat(launch(environment, "load").out()).contains("background").doesNotContain("/classes-");
        Await.until("a second one was made", () -> runs().size() == 2 && !isMaking());
        assertThat(launch(environment, "load").out()).contains("-XX:SharedArchiveFile=", "/classes-");
    }

    @Test
    void theArchiveOfTheLibrariesServesUntilOneOfThemChanges() throws Exception {
        Map<String, String> environment = withArchives();
        launch(environment, "standalone");
        letItEnd(0);

        Files.writeString(tree.resolve("deploy/target/lib/shared-1.jar"), "edited");
        assertThat(launch(environment, "standalone").out())
                .contains("background", "-XX:SharedArchiveFile=", "/libraries-");
        Await.until("nothing is made", () -> !isMaking());

        Files.writeString(tree.resolve("deploy/target/lib/library-2.jar"), "edited");
        assertThat(launch(environment, "standalone").out())
                .contains("background")
                .doesNotContain("-XX:SharedArchiveFile=");
        Await.until("nothing is made", () -> !isMaking());
    }

    @Test
    void anArchiveOfJarsThatWereReplacedMeanwhileIsNotKept() throws Exception {
        Map<String, String> environment = withArchives();
        launch(environment, "standalone");
        Await.until("the archive is being made", () -> !runs().isEmpty());
        Files.writeString(tree.resolve("deploy/target/deploy-1.jar"), "edited");
        letItEnd(0);

        assertThat(launch(environment, "standalone").out()).contains("background");
        Await.until("a second one was made", () -> runs().size() == 2 && !isMaking());
        assertThat(launch(environment, "standalone").out()).contains("-XX:SharedArchiveFile=");
    }

    @Test
    void aRunThatFailedIsNotRepeatedAndOneThatWasKilledIs() throws Exception {
        Map<String, String> environment = withArchives();
        launch(environment, "standalone");
        Await.until("the archive is being made", () -> !runs().isEmpty());
        run(dir, Map.of(), "kill", "-9", runs().get(0));
        Await.until("nothing is made", () -> !isMaking());

        assertThat(launch(environment, "standalone").out()).contains("background");
        Await.until("a second one is being made", () -> runs().size() == 2);
        letItEnd(1);

        assertThat(launch(environment, "standalone").out()).doesNotContain("background", "/classes-");
        assertThat(runs()).hasSize(2);
    }

    @Test
    void theLockOfAProcessThatIsGoneHoldsNothing() throws Exception {
        Map<String, String> environment = withArchives();
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path lock = Files.createDirectories(tree.resolve(".cleave/archive.lock"));
        Files.writeString(lock.resolve("pid"), gone.pid() + "\n");

        assertThat(launch(environment, "standalone").out()).contains("background");
        letItEnd(0);
    }

    @Test
    void whereNothingCanBeWrittenACommandRunsWithoutAnArchive() throws Exception {
        Map<String, String> environment = withArchives();
        Files.writeString(tree.resolve(".cleave"), "not a folder");

        assertThat(launch(environment, "standalone").out())
                .startsWith("ran with")
                .doesNotContain("SharedArchiveFile");
        assertThat(runs()).isEmpty();
    }

    /** Holds also with a damaged archive, like the first one made here after a build by Maven alone. */
    @Test
    void theJvmAtHandTakesTheOptionsSilently() throws Exception {
        build();
        Path home = java("jdk", Integer.toString(Runtime.version().feature()));
        executable(home.resolve("bin").resolve("java"), """
                #!/bin/sh
                for option in "$@"; do
                    case $option in -XX:ArchiveClassesAtExit=* | -XX:AOTCacheOutput=*) echo damaged >"${option#*=}" ;; esac
                done
                for option in "$@"; do
                    case $option in -cp) break ;; *) echo "$option" ;; esac
                done
                """);

        Map<String, String> environment = Map.of("CLEAVE_JAVA_HOME", home.toString(), "CLEAVE_BUILD", "no");
        launch(environment, "standalone");
        Await.until("nothing is made", () -> !isMaking());

        Ran ran = launch(environment, "standalone");

        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ran.out().lines().filter(line -> line.startsWith("-")).forEach(command::add);
        command.add("--version");
        assertThat(command)
                .anyMatch(option -> option.startsWith("-XX:SharedArchiveFile=") || option.startsWith("-XX:AOTCache="));
        Ran silent = run(dir, Map.of(), command.get(0), "--version");
        Ran real = run(dir, Map.of(), command.toArray(String[]::new));
        assertThat(real.status()).isZero();
        assertThat(real.out()).isEqualTo(silent.out().replace(", sharing", ""));
    }
}
