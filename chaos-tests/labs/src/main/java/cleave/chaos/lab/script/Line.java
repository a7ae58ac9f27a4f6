package cleave.chaos.lab.script;

import cleave.deploy.CommandFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A line of a script, with the lines that are indented below it.
 *
 * @param number in its file, from 1
 */
record Line(String file, int number, String text, List<Line> below) {
    /** The lines that are not indented; empty ones and comments are left out. */
    static List<Line> tree(String file, int first, List<String> lines) {
        Line root = new Line(file, first, "", new ArrayList<>());
        Deque<Line> open = new ArrayDeque<>(List.of(root));
        Deque<Integer> indents = new ArrayDeque<>(List.of(-1));
        for (int i = 0; i < lines.size(); i++) {
            String text = lines.get(i).strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            int indent = lines.get(i).indexOf(text.charAt(0));
            while (indents.getFirst() >= indent) {
                indents.pop();
                open.pop();
            }
            Line line = new Line(file, first + i, text, new ArrayList<>());
            open.getFirst().below.add(line);
            open.push(line);
            indents.push(indent);
        }
        return root.below;
    }

    /** The rows of a table below it. */
    List<Line> rows() {
        return below.stream().filter(Line::isRow).toList();
    }

    private boolean isRow() {
        return text.startsWith("|");
    }

    /** With the lines below that continue it. */
    String whole() {
        StringBuilder whole = new StringBuilder(text);
        for (Line each : below) {
            if (!each.isRow()) {
                whole.append(' ').append(each.whole());
            }
        }
        return whole.toString();
    }

    CommandFailure wrong(String message) {
        return CommandFailure.usage(file + ":" + number + ": " + message);
    }

    /** Where a lab could not go on. */
    String place() {
        return file + ", line " + number;
    }
}
