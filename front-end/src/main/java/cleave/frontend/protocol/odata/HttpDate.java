package cleave.frontend.protocol.odata;

import cleave.model.Ticks;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Instants in the form of HTTP headers (RFC 1123), with two digits for the day. Confined to its user; remembers the last second. */
public final class HttpDate {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private long second = Long.MIN_VALUE;
    private String text = "";

    public String of(long ticks) {
        long asked = Math.floorDiv(ticks, Ticks.PER_SECOND);
        if (asked != second) {
            second = asked;
            text = FORMAT.format(Ticks.toInstant(asked * Ticks.PER_SECOND));
        }
        return text;
    }
}
