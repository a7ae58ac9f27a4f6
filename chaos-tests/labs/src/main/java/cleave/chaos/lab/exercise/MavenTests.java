package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Compiles a work tree and runs tests in it by Maven. Immutable. Nothing is installed: the modules that the tests need are found in the same run,
 * so the local repository, which other work trees share, stays as it is.
 */
record MavenTests(Path root, String module, Duration most, Path log) {
    private static final int ERRORS_MAX = 12;

    private List<String> command(Check check) {
        return List.of(
                "mvn",
                "-B",
                "-Dfast",
                "test",
                "-pl",
                module,
                "-am",
                "-Dtest=" + String.join(",", check.words()),
                "-Dsurefire.failIfNoSpecifiedTests=false");
    }

    Check.Result run(Check check, Consumer<String> progress) throws IOException {
        Path reports = root.resolve(module).resolve("target/surefire-reports");
        forget(reports);
        long began = System.nanoTime();
        Child.Ended ended = Child.run(root, command(check), most, log, line -> {
            if (line.startsWith("[INFO] Building Cleave") || line.startsWith("[INFO] Running ")) {
                progress.accept(line.substring("[INFO] ".length()).replaceAll(" +", " "));
            }
        });
        TestReports found = TestReports.read(reports);
        String again = String.join(" ", command(check));
        String all = "All that Maven printed is in " + log + ".";
        if (ended.wasKilled()) {
            List<String> why = List.of("It was ended after " + most.toMinutes() + " minutes. " + all);
            return check.result(false, "took too long", why, again, began);
        }
        if (found.run() == 0) {
            boolean compiles = ended.lines().stream().noneMatch(line -> line.contains("COMPILATION ERROR"));
            List<String> details = new ArrayList<>(ended.lines().stream()
                    .filter(line -> line.startsWith("[ERROR] ") && line.length() > "[ERROR] ".length())
                    .distinct()
                    .limit(ERRORS_MAX)
                    .toList());
            details.add(all);
            return check.result(false, compiles ? "no test ran" : "does not compile", details, again, began);
        }
        List<String> details = new ArrayList<>(found.failures());
        if (!ended.isRight() && found.failed() == 0) {
            details.add("Maven ended with status " + ended.status() + ". " + all);
        }
        String summary = (found.run() - found.failed()) + " of " + found.run();
        return check.result(ended.isRight() && found.failed() == 0, summary, details, again, began);
    }

    /** Deletes the reports of an earlier run. */
    private static void forget(Path reports) throws IOException {
        if (Files.isDirectory(reports)) {
            try (Stream<Path> old = Files.list(reports)) {
                for (Path each : old.filter(Files::isRegularFile).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
