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
        return append(new StringBuilder(28), ticks, ":").toString();
    }

    /** Appends what {@link #format} gives, with another text for each colon. */
    public static StringBuilder append(StringBuilder text, long ticks, String colon) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(ticks, PER_SECOND), 0, ZoneOffset.UTC);
        pad(text, time.getYear(), 1000).append('-');
        pad(text, time.getMonthValue(), 10).append('-');
        pad(text, time.getDayOfMonth(), 10).append('T');
        pad(text, time.getHour(), 10).append(colon);
        pad(text, time.getMinute(), 10).append(colon);
        pad(text, time.getSecond(), 10);
        int fraction = (int) Math.floorMod(ticks, PER_SECOND);
        if (fraction != 0) {
            pad(text.append('.'), fraction, 1_000_000);
            while (text.charAt(text.length() - 1) == '0') {
                text.setLength(text.length() - 1);
            }
        }
        return text.append('Z');
    }

    /** Appends a number with as many digits as the given power of ten has. */
    private static StringBuilder pad(StringBuilder text, int value, int powerOfTen) {
        for (int power = powerOfTen; power > 1 && value < power; power /= 10) {
            text.append('0');
        }
        return text.append(value);
    }
}
