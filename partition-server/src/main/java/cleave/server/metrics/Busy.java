package cleave.server.metrics;

import cleave.wire.ErrorCode;
import java.util.Locale;

/** The bound that refuses a request with {@link ErrorCode#BUSY}. The page of limits says how much each of them admits. */
public enum Busy {
    MEMORY("the server holds as many bytes of requests and answers as it may, or the account its share of them"),
    REQUESTS("the range has as many requests as it may, or the account its share of them"),
    QUEUE("the queue of the range's writes is full"),
    SWITCH("as many requests as may wait for a handoff to end already do"),
    SCANS("as many scans as may wait for a thread already do, or the account's share of them"),
    DEADLINE("the request waited longer than its deadline");

    private final String text;

    Busy(String text) {
        this.text = text;
    }

    /** Its name in metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The message for the caller. */
    public String text() {
        return text;
    }
}
