package cleave.model;

/**
 * The numbers of planned handoffs: the term of the ordering leader and an ordinal within that term, so that no two
 * leaders use the same number. Stateless.
 */
public final class HandoffNumber {
    private static final int ORDINAL_BITS = 20;
    private static final long ORDINALS = 1L << ORDINAL_BITS;
    private static final long TERM_MAX = Long.MAX_VALUE >> ORDINAL_BITS;

    private HandoffNumber() {}

    /** Ordinals per term; more than a term is likely to use, after which they start again. */
    public static long of(long term, long ordinal) {
        return term << ORDINAL_BITS | ordinal % ORDINALS;
    }

    /** For people: {@code 3.17} is the 17th of the leader of term 3. */
    public static String text(long number) {
        return (number >>> ORDINAL_BITS) + "." + number % ORDINALS;
    }

    /** IllegalArgumentException if the text is no such number. */
    public static long parse(String text) {
        int dot = text.indexOf('.');
        try {
            long term = Long.parseLong(text.substring(0, Math.max(dot, 0)));
            long ordinal = Long.parseLong(text.substring(dot + 1));
            if (term >= 0 && term <= TERM_MAX && ordinal >= 0 && ordinal < ORDINALS) {
                return of(term, ordinal);
            }
        } catch (NumberFormatException noNumber) {
            // Answered below, together with one out of bounds.
        }
        throw new IllegalArgumentException("'" + text + "' is not a handoff number such as 3.17");
    }
}
