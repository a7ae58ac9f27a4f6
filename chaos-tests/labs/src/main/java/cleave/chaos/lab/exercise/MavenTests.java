package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.CheckResult.Outcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a work tree and runs tests in it by Maven. Stateless. Nothing is installed: the modules that the tests need are found in the
 * same run, so the local repository, which other work trees share, stays as it is.
 */
final class MavenTests {
    private static final int ERRORS_MAX = 12;

    private MavenTests() {}

    /** The program on the PATH; null if there is none. */
    static @Nullable Path maven() {
        String path = System.getenv("PATH");
        for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
            Path program = Path.of(folder.isEmpty() ? "." : folder, "mvn");
            if (Files.isExecutable(program) && Files.isRegularFile(program)) {
                return program;
            }
        }
        return null;
    }

    /** The command of a check, for a person. */
    static String command(Exercise exercise, Check check) {
        return "mvn " + String.join(" ", arguments(exercise, check));
    }

    private static List<String> arguments(Exercise exercise, Check check) {
        return List.of(
                "-B",
                "-Dfast",
                "test",
                "-pl",
                exercise.module(),
                "-am",
                "-Dtest=" + String.join(",", check.words()),
                "-Dsurefire.failIfNoSpecifiedTests=false");
    }

    static CheckResult run(
            Path maven,
            WorkTree work,
            Exercise exercise,
            Check check,
            Duration most,
            Path log,
            Consumer<String> progress)
            throws IOException {
        Path module = work.root().resolve(exercise.module());
        Path reports = module.resolve("target/surefire-reports");
        forget(reports);
        List<String> command = new ArrayList<>(List.of(maven.toString()));
        command.addAll(arguments(exercise, check));
        long began = System.nanoTime();
        Child.Ended ended = Child.run(work.root(), command, environment(), most, log, line -> {
            if (line.startsWith("[INFO] Building Cleave") || line.startsWith("[INFO] Running ")) {
                progress.accept(line.substring("[INFO] ".length()).replaceAll(" +", " "));
            }
        });
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        TestReports found = TestReports.read(reports);
        String again = command(exercise, check);
        if (ended.wasKilled()) {
            String why = "It was ended after " + most.toMinutes() + " minutes. All that it printed is in " + log + ".";
            return new CheckResult(check, Outcome.FAILED, "took too long", List.of(why), again, took);
        }
        if (found.run() == 0) {
            boolean compiles = ended.lines().stream().noneMatch(line -> line.contains("COMPILATION ERROR"));
            List<String> details = new ArrayList<>();
            ended.lines().stream()
                    .filter(line -> line.startsWith("[ERROR] ") && line.length() > "[ERROR] ".length())
                    .distinct()
                    .limit(ERRORS_MAX)
                    .forEach(details::add);
            details.add("All that Maven printed is in " + log + ".");
            return new CheckResult(
                    check, Outcome.FAILED, compiles ? "no test ran" : "does not compile", details, again, took);
        }
        boolean right = ended.isRight() && found.failed() == 0;
        List<String> details = new ArrayList<>(found.failures());
        if (!right && found.failed() == 0) {
            details.add("Maven ended with status " + ended.status() + "; all that it printed is in " + log + ".");
        }
        String summary = (found.run() - found.failed()) + " of " + found.run();
        return new CheckResult(check, right ? Outcome.PASSED : Outcome.FAILED, summary, details, again, took);
    }

    /** Maven's Java is this one, if it has a compiler; otherwise the one that Maven finds. */
    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        Path home = Path.of(System.getProperty("java.home"));
        if (Files.isExecutable(home.resolve("bin/javac"))) {
            environment.put("JAVA_HOME", home.toString());
        }
        return environment;
    }

    /** Deletes the reports of an earlier run. */
    private static void forget(Path reports) throws IOException {
        if (!Files.isDirectory(reports)) {
            return;
        }
        List<Path> old;
        try (Stream<Path> all = Files.list(reports)) {
            old = all.filter(Files::isRegularFile).toList();
        }
        for (Path each : old) {
            Files.delete(each);
        }
    }
}
