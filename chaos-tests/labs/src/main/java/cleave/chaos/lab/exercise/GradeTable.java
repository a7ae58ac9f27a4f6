package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.Grade.Outcome;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The grades of a class as a CSV file, which has each grade as soon as it is known. Confined to one thread.
 *
 * <p>Students name folders and print what tests report, so a text that a spreadsheet would take for a formula gets an apostrophe before it.
 */
final class GradeTable implements Closeable {
    /** The characters that begin a formula in some spreadsheet. */
    private static final String FORMULA = "=+-@";

    private final CsvWriter csv;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);

    /** FileAlreadyExistsException if the file exists: it may have the grades of another day. */
    GradeTable(Path file) throws IOException {
        csv = CsvWriter.builder()
                .lineDelimiter(LineDelimiter.LF)
                .build(Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        write("folder", "exercise", "result", "reason");
    }

    void add(Path folder, Grade grade) throws IOException {
        counts.merge(grade.outcome(), 1, Integer::sum);
        write(folder.toString(), grade.exercise(), grade.outcome().toString(), grade.reason());
    }

    private void write(String... fields) throws IOException {
        try {
            csv.writeRecord(Arrays.stream(fields).map(GradeTable::text).toList());
            csv.flush();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static String text(String given) {
        String line = given.replaceAll("\\p{Cntrl}+", " ").strip();
        boolean isFormula = !line.isEmpty() && FORMULA.indexOf(line.charAt(0)) >= 0;
        return isFormula ? "'" + line : line;
    }

    boolean isEachGraded() {
        return !counts.containsKey(Outcome.NOT_GRADED);
    }

    /** Such as {@code 12 passed, 3 failed, 1 not graded}. */
    String summary() {
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    @Override
    public void close() throws IOException {
        csv.close();
    }
}
