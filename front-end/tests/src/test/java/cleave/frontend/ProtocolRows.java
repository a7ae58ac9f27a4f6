package cleave.frontend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The list of all that the protocol has. Immutable. */
record ProtocolRows(List<Section> sections) {
    private static final Path FILE = Path.of("..", "testing", "protocol.rows");

    /** Rows of one kind, in their order. Immutable. */
    record Section(String title, List<Row> rows) {}

    /**
     * One thing of the protocol. Immutable.
     *
     * @param shownBy exchanges ({@code file/scene}) and tests ({@code Class} or {@code Class.method}); empty: not applicable
     * @param note why it is not applicable, or what else is to be known; may be empty
     */
    record Row(String what, List<String> shownBy, String note) {
        boolean isApplicable() {
            return !shownBy.isEmpty();
        }

        boolean deviates() {
            return note.startsWith("Deviates: ");
        }
    }

    static ProtocolRows read() throws IOException {
        List<Section> sections = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(FILE)) {
            if (line.startsWith("## ")) {
                rows = new ArrayList<>();
                sections.add(new Section(line.substring("## ".length()), rows));
            } else if (!line.isBlank() && !line.startsWith("# ")) {
                rows.add(row(line));
            }
        }
        return new ProtocolRows(sections);
    }

    private static Row row(String line) {
        String[] columns = line.split("\\|", 3);
        if (columns.length < 3) {
            throw new IllegalArgumentException("a row has three columns: " + line);
        }
        String shownBy = columns[1].strip();
        return new Row(
                columns[0].strip(), shownBy.equals("-") ? List.of() : List.of(shownBy.split(" +")), columns[2].strip());
    }

    List<Row> all() {
        return sections.stream().flatMap(section -> section.rows().stream()).toList();
    }

    /** The text of {@code docs/protocol.md}. */
    String document() {
        StringBuilder text = new StringBuilder(1 << 15);
        text.append("# The protocol, and what shows it\n\n");
        text.append("""
                What the protocol of the Table service has, how Cleave does it, and by which exchange or test it is shown: `file/scene` is a
                scene of `exchanges`, a name without a slash a test. `ProtocolRowsTest` writes this page from `protocol.rows`; both are in
                `front-end/testing`. In every build all exchanges are played against the core of a front end (`GoldenExchangesTest`) and
                against one process (`GoldenExchangesIT`), each night against a cluster of several (`ClusterGoldenExchangesIT`).
                """);
        for (Section section : sections) {
            text.append("\n## ").append(section.title()).append("\n\n");
            text.append("| What | Implemented | Shown by | Notes |\n|---|---|---|---|\n");
            for (Row row : section.rows()) {
                String state = !row.isApplicable() ? "not applicable" : row.deviates() ? "with a deviation" : "yes";
                String shown = row.shownBy().isEmpty() ? "" : "`" + String.join("` `", row.shownBy()) + "`";
                text.append("| ").append(row.what()).append(" | ").append(state);
                text.append(" | ").append(shown).append(" | ").append(row.note().replaceFirst("^Deviates: ", ""));
                text.append(" |\n");
            }
        }
        return text.toString();
    }
}
