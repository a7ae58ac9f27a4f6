package cleave.chaos.lab;

import cleave.chaos.picture.Svg;
import java.util.regex.Pattern;

/** Text for terminals and pages. Pure. */
final class Text {
    private static final int WIDTH = 100;
    private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9][0-9,]*(\\.[0-9]+)?( ?(%|s|ms|KiB|MiB))?");

    private Text() {}

    /** For HTML and SVG. */
    static String escaped(String text) {
        return Svg.escaped(text);
    }

    /** A paragraph in lines that a terminal shows whole: the first begins so, and the others are indented as far. */
    static String wrapped(String first, String text) {
        StringBuilder wrapped = new StringBuilder(first);
        int column = first.length();
        for (String word : text.split(" ")) {
            if (column > first.length() && column + 1 + word.length() > WIDTH) {
                wrapped.append('\n').append(" ".repeat(first.length()));
                column = first.length();
            }
            wrapped.append(column == first.length() ? "" : " ").append(word);
            column += (column == first.length() ? 0 : 1) + word.length();
        }
        return wrapped.append('\n').toString();
    }

    /** The message of an exception, or else its type. */
    static String message(Exception failed) {
        return failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
    }

    /** True for what is set flush right. */
    static boolean isNumber(String cell) {
        return cell.isEmpty() || cell.equals("-") || NUMBER.matcher(cell).matches();
    }
}
