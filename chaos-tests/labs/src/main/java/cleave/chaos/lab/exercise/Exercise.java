package cleave.chaos.lab.exercise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One rule, taken out of one file; the task; and what holds once the rule is back. Immutable.
 *
 * <p>Its text has lines {@code name: value} (a check comes before its {@code why}; a line that begins
 * with two blanks continues the one before), a section {@code # Task}, and pairs of sections
 * {@code # Replaced} and {@code # Given} with a block of Java each. The pairs are the solution and are left out of a student's copy.
 *
 * @param name as in {@code cleave lab exercise NAME}
 * @param minutes that it takes, for planning a lesson
 * @param source the public document that describes the rule, with its section
 * @param file from the root of the sources
 * @param edits none in a student's copy
 * @param task in Markdown
 */
record Exercise(
        String name,
        String title,
        Level level,
        int minutes,
        String source,
        String file,
        List<Edit> edits,
        List<Check> checks,
        String task) {
    /** What a student does. */
    enum Level {
        /** Finds a mistake in code that is all there. */
        READ,
        /** Puts the missing part of a method in. */
        COMPLETE,
        /** Writes a rule. */
        WRITE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String TASK = "\n# Task\n";
    private static final String REPLACED = "\n# Replaced\n";
    private static final String GIVEN = "\n# Given\n";

    Exercise {
        edits = List.copyOf(edits);
        checks = List.copyOf(checks);
    }

    /** IllegalArgumentException if the text is not that of an exercise. */
    static Exercise parse(String name, String text) {
        int task = text.indexOf(TASK);
        if (task < 0) {
            throw new IllegalArgumentException(name + ": there is no section '# Task'");
        }
        Map<String, String> values = new HashMap<>();
        List<Check> checks = new ArrayList<>();
        String check = "";
        for (String line : text.substring(0, task).replace("\n  ", " ").lines().toList()) {
            String[] parts = line.split(": ", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException(name + ": not of the form 'name: value': " + line);
            }
            if (parts[0].equals("check")) {
                check = parts[1];
            } else if (parts[0].equals("why")) {
                checks.add(Check.parse(check, parts[1]));
            } else {
                values.put(parts[0], parts[1]);
            }
        }
        String[] sections = text.substring(task + TASK.length()).split(REPLACED);
        List<Edit> edits = new ArrayList<>();
        for (int i = 1; i < sections.length; i++) {
            String[] pair = sections[i].split(GIVEN);
            edits.add(new Edit(block(name, pair[0]), block(name, pair[1])));
        }
        return new Exercise(
                name,
                value(name, values, "title"),
                Level.valueOf(value(name, values, "level").toUpperCase(Locale.ROOT)),
                Integer.parseInt(value(name, values, "minutes")),
                value(name, values, "source"),
                value(name, values, "file"),
                edits,
                checks,
                sections[0].strip());
    }

    private static String value(String name, Map<String, String> values, String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException(name + ": there is no line '" + key + ": ...'");
        }
        return value;
    }

    private static String block(String name, String section) {
        String fence = "```";
        int begin = section.indexOf(fence + "java\n");
        int end = section.lastIndexOf(fence);
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(name + ": a section without a block of Java: " + section);
        }
        return section.substring(begin + fence.length() + "java\n".length(), end);
    }

    /** The text of an exercise without its solution. */
    static String withoutSolution(String text) {
        int solution = text.indexOf(REPLACED);
        return solution < 0 ? text : text.substring(0, solution + 1);
    }

    /** The folder of the module that is changed, from the root of the sources. */
    String module() {
        return file.substring(0, file.indexOf("/src/"));
    }

    /** The folder in which alone the student works, from the root of the sources. */
    String workplace() {
        return module() + "/src/main/java/";
    }

    /** The file as the student gets it; IllegalStateException if the exercise was not written for this original. */
    String apply(String original) {
        String text = original;
        for (Edit edit : edits) {
            text = edit.apply(text);
        }
        return text;
    }
}
