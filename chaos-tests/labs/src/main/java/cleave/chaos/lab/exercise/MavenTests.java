package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compiles a work tree and runs tests in it by Maven. Immutable. Nothing is installed: the modules that the tests need are found in the same run,
 * so the local repository, which other work trees share, stays as it is.
 */
record MavenTests(Path root, String module, Duration most, Path log) {
    private static final int ERRORS_MAX = 12;
    private static final int MESSAGE_MAX = 160;
    /** Maven's last words about the tests of a module. */
    private static final Pattern SUMMARY =
            Pattern.compile("\\[\\w+] Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: \\d+");

    private static final String FAILED = "[ERROR]   ";

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
        long began = System.nanoTime();
        Child.Ended ended = Child.run(root, command(check), most, log, line -> {
            if (line.startsWith("[INFO] Building Cleave") || line.startsWith("[INFO] Running ")) {
                progress.accept(line.substring("[INFO] ".length()).replaceAll(" +", " "));
            }
        });
        return judged(check, ended, began);
    }

    Check.Result judged(Check check, Child.Ended ended, long began) {
        String again = String.join(" ", command(check));
        String all = "All that Maven printed is in " + log + ".";
        if (ended.wasKilled()) {
            List<String> why = List.of("It was ended after " + most.toMinutes() + " minutes. " + all);
            return check.result(false, "took too long", why, again, began);
        }
        MatchResult summary = ended.lines().stream()
                .map(SUMMARY::matcher)
                .filter(Matcher::matches)
                .reduce((earlier, later) -> later)
                .orElse(null);
        if (summary == null) {
            boolean compiles = ended.lines().stream().noneMatch(line -> line.contains("COMPILATION ERROR"));
            List<String> details = new ArrayList<>(ended.lines().stream()
                    .filter(line -> line.startsWith("[ERROR] ") && line.length() > "[ERROR] ".length())
                    .distinct()
                    .limit(ERRORS_MAX)
                    .toList());
            details.add(all);
            return check.result(false, compiles ? "no test ran" : "does not compile", details, again, began);
        }
        int run = Integer.parseInt(summary.group(1));
        int failed = Integer.parseInt(summary.group(2)) + Integer.parseInt(summary.group(3));
        List<String> details = new ArrayList<>(failures(ended.lines()));
        if (!ended.isRight() && failed == 0) {
            details.add("Maven ended with status " + ended.status() + ". " + all);
        }
        return check.result(ended.isRight() && failed == 0, run - failed + " of " + run, details, again, began);
    }

    /** The tests that failed, each with its line and the beginning of its message. */
    private static List<String> failures(List<String> lines) {
        List<String> failures = new ArrayList<>();
        for (String line : lines) {
            int last = failures.size() - 1;
            if (line.startsWith(FAILED)) {
                failures.add("- " + line.substring(FAILED.length()).strip());
            } else if (last >= 0 && !line.startsWith("[") && failures.get(last).length() < MESSAGE_MAX) {
                failures.set(last, failures.get(last) + " " + line.strip());
            }
        }
        return failures.stream().limit(ERRORS_MAX).map(MavenTests::shortened).toList();
    }

    private static String shortened(String line) {
        return line.length() <= MESSAGE_MAX ? line : line.substring(0, MESSAGE_MAX) + " ...";
    }
}
