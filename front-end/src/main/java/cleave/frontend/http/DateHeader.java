package cleave.frontend.http;

import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The value of {@code Date}, made once a second. Confined to its loop. */
final class DateHeader {
    /** RFC 1123, with two digits for the day always. */
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Clock clock;
    private long second = Long.MIN_VALUE;
    private String text = "";

    DateHeader(Clock clock) {
        this.clock = clock;
    }

    String value() {
        long now = Math.floorDiv(clock.ticks(), Ticks.PER_SECOND);
        if (now != second) {
            second = now;
            text = FORMAT.format(Ticks.toInstant(now * Ticks.PER_SECOND));
        }
        return text;
    }
}
