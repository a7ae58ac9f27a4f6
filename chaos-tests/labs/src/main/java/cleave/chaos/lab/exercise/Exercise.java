package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One rule, taken out of one file; the task; and what holds once the rule is back. Immutable.
 *
 * <p>The resource {@code NAME.md} has lines {@code name: value} (a check comes before its {@code why}; a line that begins with two blanks
 * continues the one before) and a section {@code # Task}; {@code NAME.patch} takes the rule out. A student's copy has no patches: they are the
 * solution.
 *
 * @param name as in {@code cleave lab exercise NAME}
 * @param level read (find a mistake in code that is all there), complete (put the missing part of a method in) or write (write a rule)
 * @param minutes that it takes, for planning a lesson
 * @param source the public document that describes the rule, with its section
 * @param file from the root of the sources
 * @param task in Markdown
 */
record Exercise(
        String name,
        String title,
        String level,
        int minutes,
        String source,
        String file,
        List<Check> checks,
        String task) {
    /** From reading to writing. */
    static final List<String> NAMES = List.of(
            "timestamp",
            "barrier",
            "sealed-length",
            "takeover-order",
            "group-commit",
            "write-judge",
            "split-key",
            "merge-rule",
            "balancer-gap",
            "page-end");

    private static final String TASK = "\n# Task\n";

    Exercise {
        checks = List.copyOf(checks);
    }

    static List<Exercise> all() {
        return NAMES.stream()
                .map(name -> Objects.requireNonNull(of(name), name))
                .toList();
    }

    /** Null if there is none of that name. */
    static @Nullable Exercise of(String name) {
        String text = NAMES.contains(name) ? resource(name + ".md") : null;
        return text == null ? null : parse(name, text);
    }

    /** IllegalArgumentException if the text is not that of an exercise. */
    static Exercise parse(String name, String text) {
        String[] sections = text.split(TASK, 2);
        Map<String, String> values = new HashMap<>();
        List<Check> checks = new ArrayList<>();
        for (String line : sections[0].replace("\n  ", " ").lines().toList()) {
            String[] parts = line.split(": ", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException(name + ": not of the form 'name: value': " + line);
            }
            values.put(parts[0], parts[1]);
            if (parts[0].equals("why")) {
                checks.add(Check.parse(value(values, "check"), parts[1]));
            }
        }
        return new Exercise(
                name,
                value(values, "title"),
                value(values, "level"),
                Integer.parseInt(value(values, "minutes")),
                value(values, "source"),
                value(values, "file"),
                checks,
                sections[1].strip());
    }

    private static String value(Map<String, String> values, String key) {
        return Objects.requireNonNull(values.get(key), key);
    }

    /** The patch that takes the rule out. */
    String patch() {
        return Objects.requireNonNull(resource(name + ".patch"), "a student's copy has no patches");
    }

    private static @Nullable String resource(String file) {
        try (InputStream in = Exercise.class.getResourceAsStream(file)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** True for a file, from the root of the sources, that a student must not see. */
    static boolean isSolution(String file) {
        return file.contains("/cleave/chaos/lab/exercise/") && file.endsWith(".patch");
    }

    /** The folder of the module that is changed, from the root of the sources. */
    String module() {
        return file.substring(0, file.indexOf("/src/"));
    }

    /** The folder of the module with its tests, from the root of the sources. */
    String tests() {
        return module() + "/tests";
    }

    /** The folder in which alone the student works, from the root of the sources. */
    String workplace() {
        return module() + "/src/main/java/";
    }
}
