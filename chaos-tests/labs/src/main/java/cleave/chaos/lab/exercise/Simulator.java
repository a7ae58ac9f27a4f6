package cleave.chaos.lab.exercise;

import cleave.deploy.Cleave;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs this program's simulator on classes of a work tree, in a process of its own. Immutable. The simulator and its checks are therefore
 * never the student's.
 *
 * @param classes the compiled classes of the module that is changed
 */
record Simulator(Path classes, Duration most, Path log) {
    private static final int LINES_MAX = 14;
    /** The simulator's last words on a story that went wrong begin with this. */
    private static final String STORY_WENT_WRONG = "WRONG. ";

    private static final String STORY_ENDED_EARLY = "The story ended early";

    private Child.Ended simulate(List<String> options, Consumer<String> seen) throws IOException {
        String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Dcleave.terminal=false",
                "-cp",
                classPath,
                Cleave.class.getName(),
                "simulate"));
        command.addAll(options);
        return Child.run(Path.of("").toAbsolutePath(), command, most, log, seen);
    }

    /** Plays the stories of a check. */
    Check.Result stories(Check check) throws IOException {
        long began = System.nanoTime();
        List<String> details = new ArrayList<>();
        List<String> again = new ArrayList<>();
        int right = 0;
        for (String story : check.words()) {
            Child.Ended ended = simulate(List.of("--scenario", story), line -> {});
            if (ended.isRight()) {
                right++;
            } else {
                details.add("- " + story + ":");
                details.addAll(ended.wasKilled() ? List.of("    took too long") : ending(ended.lines()));
                again.add("./cleave simulate --scenario " + story);
            }
        }
        return check.result(right, check.words().size(), details, String.join("; ", again), began);
    }

    private static List<String> ending(List<String> lines) {
        int from = lines.size() - LINES_MAX;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(STORY_WENT_WRONG) || lines.get(i).startsWith(STORY_ENDED_EARLY)) {
                from = i;
                break;
            }
        }
        return indented(lines.subList(Math.max(0, from), lines.size()));
    }

    private static List<String> indented(List<String> lines) {
        return lines.stream().limit(LINES_MAX).map(line -> "    " + line).toList();
    }

    /** Runs the seeds of a check. */
    Check.Result seeds(Check check, Consumer<String> progress) throws IOException {
        long began = System.nanoTime();
        List<String> options = List.of("--seed", check.words().get(0), "--seeds", String.valueOf(check.seeds()));
        List<String> firstWrong = new ArrayList<>();
        int[] right = {0};
        int[] wrong = {0};
        String[] again = {""};
        Child.Ended ended = simulate(options, line -> {
            if (line.matches("seed \\d+ is (right|WRONG).*")) {
                boolean isRight = line.contains(" is right");
                right[0] += isRight ? 1 : 0;
                wrong[0] += isRight ? 0 : 1;
                progress.accept(line.substring(0, line.indexOf(':')));
            }
            if (wrong[0] == 1 && !line.contains(" is right") && firstWrong.size() < LINES_MAX && again[0].isEmpty()) {
                if (line.startsWith("replay: ")) {
                    again[0] = "./" + line.substring("replay: ".length()).replaceAll(" {2}.*", "");
                } else {
                    firstWrong.add("    " + line);
                }
            }
        });
        List<String> details = new ArrayList<>(firstWrong);
        if (ended.wasKilled()) {
            details.add("It was ended after " + most.toMinutes() + " minutes.");
        } else if (!ended.isRight() && wrong[0] == 0) {
            List<String> last = ended.lines();
            details.addAll(indented(last.subList(Math.max(0, last.size() - LINES_MAX), last.size())));
        }
        return check.result(right[0], check.seeds(), details, again[0], began);
    }
}
