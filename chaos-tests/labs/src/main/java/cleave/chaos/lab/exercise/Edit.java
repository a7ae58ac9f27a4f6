package cleave.chaos.lab.exercise;

/**
 * What an exercise replaces in a file of the original. Immutable.
 *
 * @param replaced whole lines, which occur in the file exactly once
 * @param given the lines in their place
 */
record Edit(String replaced, String given) {
    /** The text as the exercise gives it; IllegalStateException if this text is not the one that the exercise was written for. */
    String apply(String original) {
        int times = times(original);
        if (times != 1) {
            throw new IllegalStateException(
                    "the lines that it replaces occur " + times + " times, not once; they begin with: " + firstLine());
        }
        int at = original.indexOf(replaced);
        return original.substring(0, at) + given + original.substring(at + replaced.length());
    }

    private int times(String original) {
        int times = 0;
        for (int at = original.indexOf(replaced); at >= 0; at = original.indexOf(replaced, at + 1)) {
            boolean beginsLine = at == 0 || original.charAt(at - 1) == '\n';
            times += beginsLine ? 1 : 0;
        }
        return times;
    }

    private String firstLine() {
        return replaced.lines().findFirst().orElse("").strip();
    }
}
