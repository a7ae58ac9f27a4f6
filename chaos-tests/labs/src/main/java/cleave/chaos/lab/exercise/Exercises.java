package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The exercises among this program's resources, from reading to writing. Stateless. */
final class Exercises {
    /** Where their texts lie in the sources. */
    static final String FOLDER = "chaos-tests/labs/src/main/resources/cleave/chaos/lab/exercise/";

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

    private Exercises() {}

    /** Null if there is none of that name; in a student's copy there is only that student's. */
    static @Nullable Exercise of(String name) {
        String text = text(name);
        return text == null ? null : Exercise.parse(name, text);
    }

    static List<Exercise> all() {
        return NAMES.stream()
                .flatMap(name -> java.util.stream.Stream.ofNullable(of(name)))
                .toList();
    }

    /** The whole text of an exercise; null if there is none of that name. */
    static @Nullable String text(String name) {
        if (!NAMES.contains(name)) {
            return null;
        }
        try (InputStream in = Exercises.class.getResourceAsStream(name + ".md")) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
