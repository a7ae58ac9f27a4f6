package cleave.chaos.lab.exercise;

import java.time.Duration;
import java.util.List;

/**
 * A check that a solved exercise passes. Immutable.
 *
 * @param words names of test classes, or of stories, or the first and the last seed
 * @param why what it means if the check does not pass
 */
record Check(Kind kind, List<String> words, String why) {
    enum Kind {
        /** Tests of the module, run by Maven. */
        TESTS,
        /** Scripted runs of the simulator. */
        STORY,
        /** Random runs of the simulator. */
        SEEDS
    }

    /**
     * Its result. Immutable.
     *
     * @param verdict right, WRONG or, if no test could be run before it, so that classes may be old, not run
     * @param summary for the table, such as {@code 20 of 21}
     * @param details what was seen, if it did not pass, line by line
     * @param again the command that shows it again, for the root of the work tree
     */
    record Result(Check check, String verdict, String summary, List<String> details, String again, Duration took) {
        static final String RIGHT = "right";
        static final String WRONG = "WRONG";

        boolean isPassed() {
            return verdict.equals(RIGHT);
        }
    }

    Check {
        words = List.copyOf(words);
        boolean isComplete = kind == Kind.SEEDS ? words.size() == 2 : !words.isEmpty();
        if (!isComplete) {
            throw new IllegalArgumentException("a check of " + kind + " cannot be of " + words);
        }
    }

    /** From the line of an exercise, such as {@code story zombie-read} or {@code seeds 1-20}. */
    static Check parse(String line, String why) {
        List<String> words = List.of(line.split("[ -](?=\\d+$)| "));
        return switch (words.get(0)) {
            case "tests" -> new Check(Kind.TESTS, words.subList(1, words.size()), why);
            case "story" -> new Check(Kind.STORY, words.subList(1, words.size()), why);
            case "seeds" -> new Check(Kind.SEEDS, words.subList(1, words.size()), why);
            default -> throw new IllegalArgumentException("no check begins like '" + line + "'");
        };
    }

    int seeds() {
        return (int) (Long.parseLong(words.get(1)) - Long.parseLong(words.get(0)) + 1);
    }

    Result result(int right, int all, List<String> details, String again, long beganNanos) {
        return result(right == all, right + " of " + all, details, again, beganNanos);
    }

    Result result(boolean isRight, String summary, List<String> details, String again, long beganNanos) {
        Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
        return new Result(this, isRight ? Result.RIGHT : Result.WRONG, summary, details, again, took);
    }

    /** In a table. */
    @Override
    public String toString() {
        return switch (kind) {
            case TESTS -> "tests " + String.join(", ", words);
            case STORY -> (words.size() == 1 ? "story " : "stories ") + String.join(", ", words);
            case SEEDS -> "seeds " + String.join(" to ", words);
        };
    }
}
