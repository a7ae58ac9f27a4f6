package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A tree and Javas that are made up, for the script at the top of the project to run with. Confined to one test. */
final class LauncherTree {
    static final Path SCRIPT = Path.of("..", "..", "cleave").toAbsolutePath().normalize();
    private static final String FAKE_JAVA = """
            #!/bin/sh
            echo "java of $(dirname "$(dirname "$0")") ran with: $*"
            echo "umask $(umask)"
            """;

    /** Where commands run. */
    final Path dir;

    final Path root;
    final Path bin;
    /** Of the script's runs, besides that of this process. */
    final Map<String, String> environment = new TreeMap<>();

    /** The exit status and output of a run. */
    record Ran(int status, String out) {}

    LauncherTree(Path dir) throws IOException {
        assumeThat(SCRIPT).exists();
        this.dir = dir;
        this.root = Files.createDirectories(dir.resolve("a tree"));
        this.bin = Files.createDirectories(dir.resolve("bin"));
        Files.copy(SCRIPT, root.resolve("cleave"));
    }

    Ran launch(String... arguments) throws Exception {
        Stream<String> script = Stream.of(root.resolve("cleave").toString());
        return run(environment, Stream.concat(script, Stream.of(arguments)).toList());
    }

    /** The output of the script. */
    String out(String... arguments) throws Exception {
        return launch(arguments).out();
    }

    Ran run(Map<String, String> with, List<String> command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("CLEAVE") || name.equals("JAVA_HOME"));
        builder.environment().putAll(with);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return new Ran(process.exitValue(), out);
    }

    /** Makes a JDK, and has the script use it. */
    Path java(String name, String version) throws IOException {
        return java(name, version, FAKE_JAVA);
    }

    Path java(String name, String version, String script) throws IOException {
        Path home = dir.resolve(name);
        executable(home.resolve("bin").resolve("java"), script);
        executable(home.resolve("bin").resolve("javac"), script);
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\n");
        environment.put("CLEAVE_JAVA_HOME", home.toString());
        return home;
    }

    static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Writes a file of the tree. */
    Path write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** A Maven that runs these lines of shell, and is found before any other. */
    void maven(String lines) throws IOException {
        executable(bin.resolve("mvn"), "#!/bin/sh\n" + lines);
        environment.put("PATH", bin + ":" + System.getenv("PATH"));
    }

    /** Makes what builds make, which is up to date. */
    void build() throws IOException {
        for (String module : List.of("deploy", "deploy/objects", "dfs-stub/bookkeeper", "chaos-tests")) {
            write(module + "/target/lib/shared-1.jar", "");
            write(module + "/target/lib/library-2.jar", "");
        }
        for (String jar : List.of(
                "deploy/target/deploy-1.jar",
                "deploy/objects/target/deploy-objects-1.jar",
                "deploy/objects/target/lib/client-1.jar",
                "dfs-stub/bookkeeper/target/dfs-bookkeeper-1.jar",
                "dfs-stub/bookkeeper/target/lib/engine-1.jar",
                "chaos-tests/labs/target/chaos-labs-1.jar",
                "chaos-tests/target/lib/engine-1.jar",
                "chaos-tests/target/lib/deploy-1.jar",
                "chaos-tests/target/lib/own-1.jar")) {
            write(jar, "");
        }
        write("chaos-tests/commands", "load     puts a load on it\nsecret\n");
        Files.createDirectories(root.resolve("chaos-tests/labs/src/main"));
        Files.createDirectories(root.resolve("chaos-tests/module-without-a-jar/src/test"));
        environment.put("CLEAVE_BUILD", "no");
    }
}
