package cleave.model;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Instants as the Table service counts them: 100 ns ticks, here since 1970-01-01T00:00Z, negative before. Covers
 * 1601-01-01 to 9999-12-31T23:59:59.9999999Z, the range of {@code Edm.DateTime}.
 */
public final class Ticks {
    public static final long PER_SECOND = 10_000_000;
    public static final long PER_MILLI = 10_000;
    /** 1601-01-01T00:00:00Z. */
    public static final long MIN = LocalDateTime.of(1601, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC) * PER_SECOND;
    /** 9999-12-31T23:59:59.9999999Z. */
    public static final long MAX =
            LocalDateTime.of(9999, 12, 31, 23, 59, 59).toEpochSecond(ZoneOffset.UTC) * PER_SECOND + 9_999_999;

    private Ticks() {}

    /** Nanoseconds below a tick are truncated. */
    public static long of(Instant instant) {
        return instant.getEpochSecond() * PER_SECOND + instant.getNano() / 100;
    }

    public static Instant toInstant(long ticks) {
        return Instant.ofEpochSecond(Math.floorDiv(ticks, PER_SECOND), Math.floorMod(ticks, PER_SECOND) * 100);
    }

    /** {@code 2024-05-01T08:00:00.1234567Z}: up to seven digits, trailing zeros trimmed, no point without them. */
    public static String format(long ticks) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(ticks, PER_SECOND), 0, ZoneOffset.UTC);
        StringBuilder text = new StringBuilder(28);
        pad(text, time.getYear(), 4).append('-');
        pad(text, time.getMonthValue(), 2).append('-');
        pad(text, time.getDayOfMonth(), 2).append('T');
        pad(text, time.getHour(), 2).append(':');
        pad(text, time.getMinute(), 2).append(':');
        pad(text, time.getSecond(), 2);
        long fraction = Math.floorMod(ticks, PER_SECOND);
        if (fraction != 0) {
            pad(text.append('.'), fraction, 7);
            while (text.charAt(text.length() - 1) == '0') {
                text.setLength(text.length() - 1);
            }
        }
        return text.append('Z').toString();
    }

    private static StringBuilder pad(StringBuilder text, long value, int width) {
        String digits = Long.toString(value);
        for (int i = digits.length(); i < width; i++) {
            text.append('0');
        }
        return text.append(digits);
    }
}
