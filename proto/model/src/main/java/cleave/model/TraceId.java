package cleave.model;

import org.jspecify.annotations.Nullable;

/** The id of a distributed trace, as W3C Trace Context has it: 16 bytes, not all zero. Immutable. */
public record TraceId(long high, long low) {
    private static final int DIGITS = 32;

    /** Null if both halves are zero, which is the id of no trace. */
    public static @Nullable TraceId of(long high, long low) {
        return high == 0 && low == 0 ? null : new TraceId(high, low);
    }

    /** The 32 lower-case hexadecimal digits by which tools know it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(DIGITS);
        append(text, high);
        append(text, low);
        return text.toString();
    }

    private static void append(StringBuilder text, long half) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((int) (half >>> shift) & 15, 16));
        }
    }
}
