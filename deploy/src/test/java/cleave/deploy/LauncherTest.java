package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the project, run with a tree and a Java that are made up. */
class LauncherTest {
    private static final Path SCRIPT = Path.of("..", "cleave").toAbsolutePath().normalize();
    private static final String FAKE_JAVA = """
            #!/bin/sh
            echo "java of $(dirname "$(dirname "$0")") ran with: $*"
            echo "umask $(umask)"
            """;

    @TempDir
    private Path dir;

    private Path tree;
    private Path bin;

    /** How a run ended and what it wrote. */
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
        for (String module : List.of("deploy", "dfs-stub/bookkeeper", "chaos-tests")) {
            Path lib = Files.createDirectories(tree.resolve(module + "/target/lib"));
            Files.writeString(lib.resolve("shared-1.jar"), "");
        }
        Files.writeString(tree.resolve("deploy/target/deploy-1.jar"), "");
        Files.writeString(tree.resolve("dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar"), "");
        Files.writeString(tree.resolve("dfs-stub/bookkeeper/target/lib/engine-1.jar"), "");
        Files.createDirectories(tree.resolve("chaos-tests/labs/target"));
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

    @Test
    void eachJarIsOnTheClassPathOnce() throws Exception {
        build();
        Path home = java("jdk", "21.0.1");

        Ran ran = launch(
                Map.of("CLEAVE_JAVA_HOME", home.toString(), "CLEAVE_BUILD", "no", "CLEAVE_ARCHIVE", "no"), "x", "a b");

        String at = tree.toString();
        assertThat(ran.status()).isZero();
        assertThat(ran.out())
                .contains("-cp " + at + "/deploy/target/deploy-1.jar:"
                        + at + "/dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar:"
                        + at + "/chaos-tests/labs/target/chaos-labs-1.jar:"
                        + at + "/deploy/target/lib/shared-1.jar:"
                        + at + "/dfs-stub/bookkeeper/target/lib/engine-1.jar:"
                        + at + "/chaos-tests/target/lib/own-1.jar cleave.deploy.Cleave x a b");
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

    @Test
    void whatIsMissingIsBuiltAndThenRun() throws Exception {
        Path home = java("jdk", "21");
        executable(home.resolve("bin").resolve("javac"), FAKE_JAVA);
        Files.writeString(tree.resolve("pom.xml"), "");
        for (String module : List.of("deploy", "dfs-stub/bookkeeper", "chaos-tests")) {
            Files.createDirectories(tree.resolve(module + "/src/main"));
            Files.writeString(tree.resolve(module + "/pom.xml"), "");
        }
        executable(bin.resolve("mvn"), """
                #!/bin/sh
                case "$*" in *-version*) echo "Apache Maven 3.8.7"; exit ;; esac
                cd "%s" || exit 1
                echo "[INFO] Building Cleave proto 0.1.0-SNAPSHOT    [2/8]"
                for jar in deploy/target/deploy-1 dfs-stub/bookkeeper/target/dfs-bookkeeper-1 chaos-tests/labs/target/chaos-labs-1; do
                    mkdir -p $(dirname $jar)/lib; : >$(dirname $jar)/lib/a.jar; : >$jar.jar
                done
                mkdir -p chaos-tests/target/lib
                """.formatted(tree));
        Map<String, String> environment = Map.of(
                "CLEAVE_JAVA_HOME", home.toString(), "PATH", bin + ":" + System.getenv("PATH"), "CLEAVE_ARCHIVE", "no");

        Ran first = launch(environment, "--version");
        Ran second = launch(environment, "--version");

        assertThat(first.out()).contains("building with Maven 3.8.7", "Building Cleave proto".substring(9), "ran with");
        assertThat(second.out()).doesNotContain("building").contains("ran with");
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

    /** Also with an archive that is damaged, as the one made here is: the first, after a build by Maven alone. */
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

        Ran ran = launch(Map.of("CLEAVE_JAVA_HOME", home.toString(), "CLEAVE_BUILD", "no"));

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
