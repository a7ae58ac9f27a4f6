package cleave.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/**
 * Files of test cases. Blank lines divide the cases. The first line of a case is {@code # NAME}; other lines that begin with {@code #} are
 * remarks. A line holds commands, with {@code ;} between them, and their output: after {@code =>} if that is short, else in separate lines,
 * which begin with two spaces. The output of commands in a line that begins with {@code given} is not shown. The commands of a first case
 * whose name begins with "Before each" come before those of every other case, and their output is not shown either.
 * {@code -Dgolden.rewrite=true} writes the output again; read the diff before you commit it.
 */
public final class Transcripts {
    private static final Path FOLDER = Path.of("src", "test", "resources", "transcripts");
    private static final String PRINTS = " =>";
    private static final String FURTHER = "  ";
    private static final String GIVEN = "given ";
    private static final int LINE_MAX = 150;

    private Transcripts() {}

    /** Carries commands out, in its own world. */
    public interface Interpreter {
        /** Gives the command's output, any number of lines. */
        List<String> run(Command command) throws Exception;
    }

    /** Some of an interpreter's words. */
    public interface Words {
        /** Carries the command out; false if its word is none of these. */
        boolean run(Command command);
    }

    private record Case(List<String> lines, int firstLine) {
        String name() {
            return lines.get(0).substring(2);
        }

        boolean isPreamble() {
            return name().startsWith("Before each");
        }
    }

    /** The cases of the files of a folder in {@code src/test/resources/transcripts}, each played by its own interpreter. */
    public static Stream<DynamicNode> of(String folder, Supplier<Interpreter> interpreters) throws IOException {
        try (Stream<Path> files = Files.list(FOLDER.resolve(folder))) {
            List<DynamicNode> played = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                played.add(DynamicContainer.dynamicContainer(
                        String.valueOf(file.getFileName()), file.toUri(), cases(file, interpreters)));
            }
            return played.stream();
        }
    }

    private static Stream<DynamicTest> cases(Path file, Supplier<Interpreter> interpreters) throws IOException {
        if (Boolean.getBoolean("golden.rewrite")) {
            List<String> played = new ArrayList<>();
            for (Case each : cases(file)) {
                played.add(String.join("\n", play(file, preamble(file), each, interpreters.get())));
            }
            Files.writeString(file, String.join("\n\n", played) + "\n");
        }
        List<Case> before = preamble(file);
        return cases(file).stream()
                .filter(each -> !each.isPreamble())
                .map(each -> DynamicTest.dynamicTest(
                        each.name(), () -> check(file, each, play(file, before, each, interpreters.get()))));
    }

    private static List<Case> preamble(Path file) throws IOException {
        return cases(file).stream().filter(Case::isPreamble).toList();
    }

    private static List<Case> cases(Path file) throws IOException {
        List<Case> cases = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        for (int from = 0, to = 0; to <= lines.size(); to++) {
            if (to == lines.size() || lines.get(to).isBlank()) {
                if (from < to) {
                    cases.add(new Case(lines.subList(from, to), from + 1));
                }
                from = to + 1;
            }
        }
        return cases;
    }

    /** The lines of the case with the current output. */
    private static List<String> play(Path file, List<Case> before, Case played, Interpreter interpreter) {
        if (!played.isPreamble()) {
            before.forEach(each -> play(file, List.of(), each, interpreter));
        }
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < played.lines().size(); i++) {
            String line = played.lines().get(i);
            if (line.startsWith("#")) {
                lines.add(line);
            } else if (!line.startsWith(FURTHER)) {
                int end = line.indexOf(PRINTS);
                String commands = end < 0 ? line : line.substring(0, end);
                boolean given = commands.startsWith(GIVEN) || played.isPreamble();
                List<String> printed = new ArrayList<>();
                for (String command : commands.replaceFirst("^" + GIVEN, "").split(";")) {
                    try {
                        printed.addAll(interpreter.run(Command.of(command)));
                    } catch (Exception | AssertionError failed) {
                        throw new AssertionError(
                                file + ":" + (played.firstLine() + i) + ": " + command.strip() + ": " + failed, failed);
                    }
                }
                String inOne = commands + PRINTS + " " + String.join("; ", printed);
                if (given || printed.isEmpty()) {
                    lines.add(commands);
                } else if (printed.size() == 1 || inOne.length() <= LINE_MAX) {
                    lines.add(inOne);
                } else {
                    lines.add(commands);
                    printed.forEach(each -> lines.add(FURTHER + each));
                }
            }
        }
        return lines;
    }

    private static void check(Path file, Case expected, List<String> played) {
        int difference = Arrays.mismatch(expected.lines().toArray(), played.toArray());
        assertThat(String.join("\n", played))
                .as("%s:%d: %s", file, expected.firstLine() + Math.max(0, difference), expected.name())
                .isEqualTo(String.join("\n", expected.lines()));
    }
}
