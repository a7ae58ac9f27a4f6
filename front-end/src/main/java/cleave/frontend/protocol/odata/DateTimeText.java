package cleave.frontend.protocol.odata;

import cleave.model.Ticks;
import java.time.DateTimeException;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times as text. Accepts a date, or a date and a time to the minute, second or fraction, with Z, an offset, or no zone (UTC).
 * A fraction is truncated to seven digits. Confined to one parse.
 */
public final class DateTimeText {
    private static final int FRACTION_DIGITS = 7;
    private static final int FRACTION_DIGITS_READ = 20;
    private static final int FRACTION_AT = "2024-05-01T08:00:00".length();
    private static final long MINUTE = 60 * Ticks.PER_SECOND;
    private static final long DAY = 24 * 60 * MINUTE;

    private final String text;
    private int at;

    private DateTimeText(String text) {
        this.text = text;
    }

    /** The ticks of a text, of the years 1 to 9999; null if it is not a date and time. */
    public static @Nullable Long parse(String text) {
        try {
            return new DateTimeText(text).parse();
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** {@code 2024-05-01T08:00:00.1000000Z}: the form of error messages and access policies, which keep trailing zeros. */
    public static String sevenDigits(long ticks) {
        String trimmed = Ticks.format(ticks);
        String fraction =
                trimmed.length() == FRACTION_AT + 1 ? "" : trimmed.substring(FRACTION_AT + 1, trimmed.length() - 1);
        return trimmed.substring(0, FRACTION_AT) + "." + fraction + "0".repeat(FRACTION_DIGITS - fraction.length())
                + "Z";
    }

    private @Nullable Long parse() {
        long day = date();
        if (at == text.length()) {
            return day;
        }
        expect('T');
        long time = time();
        long ticks = day + time - zone();
        return at == text.length() && ticks <= Ticks.MAX ? ticks : null;
    }

    private long date() {
        int year = digits(4);
        expect('-');
        int month = digits(2);
        expect('-');
        int day = digits(2);
        if (year == 0) {
            throw new DateTimeException("year 0");
        }
        return LocalDate.of(year, month, day).toEpochDay() * DAY;
    }

    private long time() {
        long ticks = bounded(digits(2), 23) * 60 * MINUTE;
        expect(':');
        ticks += bounded(digits(2), 59) * MINUTE;
        if (accept(':')) {
            ticks += bounded(digits(2), 59) * Ticks.PER_SECOND;
            if (accept('.')) {
                ticks += fraction();
            }
        }
        return ticks;
    }

    private long fraction() {
        long ticks = 0;
        int count = 0;
        for (; at < text.length() && Text.isDigit(text.charAt(at)); count++) {
            int digit = text.charAt(at++) - '0';
            ticks = count < FRACTION_DIGITS ? ticks * 10 + digit : ticks;
        }
        if (count == 0 || count > FRACTION_DIGITS_READ) {
            throw new DateTimeException("fraction");
        }
        for (int i = count; i < FRACTION_DIGITS; i++) {
            ticks *= 10;
        }
        return ticks;
    }

    /** The ticks by which the zone is ahead of UTC. */
    private long zone() {
        if (at == text.length() || accept('Z')) {
            return 0;
        }
        boolean behind = accept('-');
        if (!behind) {
            expect('+');
        }
        long minutes = bounded(digits(2), 14) * 60;
        expect(':');
        minutes += bounded(digits(2), 59);
        return behind ? -minutes * MINUTE : minutes * MINUTE;
    }

    private static long bounded(int value, int max) {
        if (value > max) {
            throw new DateTimeException("out of range");
        }
        return value;
    }

    private int digits(int count) {
        int value = 0;
        for (int i = 0; i < count; i++) {
            if (at == text.length() || !Text.isDigit(text.charAt(at))) {
                throw new DateTimeException("digit expected");
            }
            value = value * 10 + (text.charAt(at++) - '0');
        }
        return value;
    }

    private boolean accept(char c) {
        boolean there = at < text.length() && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw new DateTimeException(c + " expected");
        }
    }
}
