package cleave.chaos.lab.exercise;

import java.util.List;

/**
 * What must hold in a solved exercise. Immutable.
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

    Check {
        words = List.copyOf(words);
        boolean isComplete = kind == Kind.SEEDS ? words.size() == 2 : !words.isEmpty();
        if (!isComplete) {
            throw new IllegalArgumentException("a check of " + kind + " cannot be of " + words);
        }
    }

    /** From the line of an exercise, such as {@code story zombie-read} or {@code seeds 1-20}. */
    static Check parse(String line, String why) {
        List<String> words = List.of(line.split(" "));
        List<String> rest = words.subList(1, words.size());
        return switch (words.get(0)) {
            case "tests" -> new Check(Kind.TESTS, rest, why);
            case "story" -> new Check(Kind.STORY, rest, why);
            case "seeds" -> new Check(Kind.SEEDS, List.of(String.join("", rest).split("-")), why);
            default -> throw new IllegalArgumentException("no check begins like '" + line + "'");
        };
    }

    long firstSeed() {
        return Long.parseLong(words.get(0));
    }

    int seeds() {
        return (int) (Long.parseLong(words.get(1)) - firstSeed() + 1);
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
