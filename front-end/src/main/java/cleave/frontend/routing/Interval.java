package cleave.frontend.routing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Texts from {@code low}, inclusive, to {@code high}, exclusive, as UTF-8 in the order of unsigned bytes, which is that of keys.
 * Immutable. No key contains a zero byte, so a text with a zero appended is the least bound above the text.
 *
 * @param low empty: from the beginning
 * @param high null: to the end
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Interval(byte[] low, byte @Nullable [] high) {
    static final Interval ALL = new Interval(new byte[0], null);

    static Interval point(String text) {
        return new Interval(bytes(text), behind(text));
    }

    static Interval from(String text) {
        return new Interval(bytes(text), null);
    }

    static Interval above(String text) {
        return new Interval(behind(text), null);
    }

    static Interval below(String text) {
        return new Interval(ALL.low, bytes(text));
    }

    static Interval upTo(String text) {
        return new Interval(ALL.low, behind(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] behind(String text) {
        byte[] bytes = bytes(text);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    boolean isAll() {
        return low.length == 0 && high == null;
    }

    /** True if it contains nothing, like the interval below the empty text. */
    boolean isEmpty() {
        return high != null && Arrays.compareUnsigned(low, high) >= 0;
    }

    /** True if it contains exactly one text. */
    boolean isPoint() {
        return high != null
                && high.length == low.length + 1
                && high[low.length] == 0
                && Arrays.equals(low, 0, low.length, high, 0, low.length);
    }

    /** Null if the two are disjoint. */
    @Nullable
    Interval intersection(Interval other) {
        byte[] from = Arrays.compareUnsigned(low, other.low) >= 0 ? low : other.low;
        byte[] to = high == null || (other.high != null && Arrays.compareUnsigned(other.high, high) < 0)
                ? other.high
                : high;
        Interval both = new Interval(from, to);
        return both.isEmpty() ? null : both;
    }

    /** The smallest interval that contains both. */
    Interval hull(Interval other) {
        byte[] from = Arrays.compareUnsigned(low, other.low) <= 0 ? low : other.low;
        byte[] to = high == null || other.high == null
                ? null
                : Arrays.compareUnsigned(high, other.high) >= 0 ? high : other.high;
        return new Interval(from, to);
    }
}
