package cleave.chaos.lab.script;

import cleave.deploy.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words of a line, which are read one after the other. Confined to its thread. */
final class Words {
    enum Kind {
        NAME,
        NUMBER,
        /** In quotes. */
        TEXT,
        SIGN,
        END
    }

    /** @param isAdjacent nothing is between it and the word before */
    private record Word(Kind kind, String text, boolean isAdjacent) {}

    private static final Pattern WORD = Pattern.compile(
            "\\s*(?:([A-Za-z_]\\w*)|(\\d[\\d_]*(?:\\.\\d+)?)|\"([^\"]*)\"|(\\.\\.|\\+=|==|!=|<=|>=|[-+*/%<>=(),.:\\[\\]]))");
    private static final List<Kind> GROUPS = List.of(Kind.NAME, Kind.NUMBER, Kind.TEXT, Kind.SIGN);

    private final Line line;
    private final List<Word> words = new ArrayList<>();
    private int next;

    Words(Line line, String text) {
        this.line = line;
        Matcher matcher = WORD.matcher(text.stripTrailing());
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            for (int group = 1; group <= GROUPS.size(); group++) {
                if (matcher.group(group) != null) {
                    words.add(new Word(
                            GROUPS.get(group - 1), matcher.group(group), matcher.start(group) == matcher.start()));
                }
            }
            end = matcher.end();
        }
        if (end < text.stripTrailing().length()) {
            throw line.wrong("'" + text.substring(end).strip() + "' begins with no word, number, sign or \"text\"");
        }
    }

    Line line() {
        return line;
    }

    private Word word(int ahead) {
        return next + ahead < words.size() ? words.get(next + ahead) : new Word(Kind.END, "", false);
    }

    boolean is(Kind kind) {
        return word(0).kind() == kind;
    }

    /** True if this name or sign comes next. */
    boolean is(String text) {
        return isAhead(0, text);
    }

    boolean isAhead(int ahead, String text) {
        return word(ahead).kind() != Kind.TEXT && word(ahead).text().equals(text);
    }

    /** True if what comes next is before a name: a verb before a table, and no value with the name of a verb. */
    boolean isBeforeName() {
        return word(1).kind() == Kind.NAME;
    }

    /** Takes this name or sign if it comes next. */
    boolean take(String text) {
        boolean isNext = is(text);
        next += isNext ? 1 : 0;
        return isNext;
    }

    /** Takes this sign if it comes next, with nothing between. */
    boolean takeAdjacent(String text) {
        return word(0).isAdjacent() && take(text);
    }

    void expect(String text) {
        if (!take(text)) {
            throw wrong("'" + text + "'");
        }
    }

    String take(Kind kind, String what) {
        if (!is(kind)) {
            throw wrong(what);
        }
        return words.get(next++).text();
    }

    void end() {
        if (!is(Kind.END)) {
            throw wrong("the end of the line");
        }
    }

    CommandFailure wrong(String right) {
        String found = is(Kind.END) ? "the end of the line" : is(Kind.TEXT) ? "a text" : "'" + word(0).text() + "'";
        return line.wrong(found + " should be " + right);
    }
}
