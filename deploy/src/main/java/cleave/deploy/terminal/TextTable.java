package cleave.deploy.terminal;

import java.util.ArrayList;
import java.util.List;

/** Rows under a header, aligned: text to the left, numbers to the right. Confined to the thread that prints it. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... header) {
        this.header = List.of(header);
    }

    /** One row; as many cells as the header has. */
    public TextTable row(Object... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException(cells.length + " cells under " + header);
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        rows.add(row);
        return this;
    }

    /** The lines, without trailing blanks, each ended. */
    public String text() {
        StringBuilder text = new StringBuilder();
        append(text, header);
        rows.forEach(row -> append(text, row));
        return text.toString();
    }

    private void append(StringBuilder text, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(width(column) - length(cell));
            line.append(column == 0 ? "" : GAP);
            line.append(isNumeric(column) ? padding + cell : cell + padding);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    private int width(int column) {
        int width = length(header.get(column));
        for (List<String> row : rows) {
            width = Math.max(width, length(row.get(column)));
        }
        return width;
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private boolean isNumeric(int column) {
        boolean any = false;
        for (List<String> row : rows) {
            String cell = row.get(column);
            if (!cell.isEmpty() && !cell.equals("-")) {
                any = true;
                if (!cell.matches("[-+]?[0-9][0-9,]*(\\.[0-9]+)?")) {
                    return false;
                }
            }
        }
        return any;
    }
}
