package cleave.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbers of planned handoffs: the term of the leader that ordered it, and an ordinal within that, so that no two leaders
 * give the same. Stateless.
 */
public final class HandoffNumber {
    private static final int ORDINAL_BITS = 20;
    private static final long ORDINALS = 1L << ORDINAL_BITS;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,12})\\.(\\d{1,7})");

    private HandoffNumber() {}

    /** Of so many ordinals that a term hardly uses them up; then they begin again. */
    public static long of(long term, long ordinal) {
        return term << ORDINAL_BITS | ordinal % ORDINALS;
    }

    /** For people: {@code 3.17} is the 17th of the leader of term 3. */
    public static String text(long number) {
        return (number >>> ORDINAL_BITS) + "." + number % ORDINALS;
    }

    /** IllegalArgumentException if the text is no such number. */
    public static long parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || Long.parseLong(matcher.group(2)) >= ORDINALS) {
            throw new IllegalArgumentException("'" + text + "' is no number of a handoff, such as 3.17");
        }
        return of(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }
}
