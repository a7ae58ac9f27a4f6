package cleave.frontend.tracing;

import cleave.frontend.protocol.odata.Headers;
import cleave.model.TraceId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client says of the trace that its request belongs to, in the headers {@code traceparent} and {@code tracestate} of W3C Trace Context.
 * Immutable.
 *
 * @param span the id of the client's span, not 0
 * @param isSampled whether the client records the trace
 * @param state what tracing systems add, to be passed on as it is; empty if there is nothing, or nothing of use
 */
public record TraceParent(TraceId trace, long span, boolean isSampled, String state) {
    private static final int TRACE_AT = 3;
    private static final int SPAN_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int LENGTH = 55;
    private static final int STATE_MAX = 512;

    /** Null if there is none, or one that is malformed: then the request begins a trace. Invariant I10: never an error. */
    static @Nullable TraceParent of(Headers headers) {
        List<String> given = headers.all("traceparent");
        return given.size() == 1 ? parse(given.get(0).trim(), headers) : null;
    }

    private static @Nullable TraceParent parse(String text, Headers headers) {
        boolean isOfVersion0 = text.startsWith("00-");
        boolean hasForm = text.length() >= LENGTH
                && (isOfVersion0 ? text.length() == LENGTH : isLaterVersion(text))
                && text.charAt(TRACE_AT - 1) == '-'
                && text.charAt(SPAN_AT - 1) == '-'
                && text.charAt(FLAGS_AT - 1) == '-'
                && areDigits(text, TRACE_AT, SPAN_AT - 1)
                && areDigits(text, SPAN_AT, FLAGS_AT - 1)
                && areDigits(text, FLAGS_AT, LENGTH);
        if (!hasForm) {
            return null;
        }
        TraceId trace = TraceId.of(half(text, TRACE_AT), half(text, TRACE_AT + 16));
        long span = half(text, SPAN_AT);
        boolean isSampled = (Character.digit(text.charAt(LENGTH - 1), 16) & 1) == 1;
        return trace == null || span == 0 ? null : new TraceParent(trace, span, isSampled, state(headers));
    }

    /** Later versions begin alike, and may go on. */
    private static boolean isLaterVersion(String text) {
        return areDigits(text, 0, 2)
                && !text.startsWith("ff")
                && (text.length() == LENGTH || text.charAt(LENGTH) == '-');
    }

    private static boolean areDigits(String text, int from, int until) {
        for (int i = from; i < until; i++) {
            char unit = text.charAt(i);
            if ((unit < '0' || unit > '9') && (unit < 'a' || unit > 'f')) {
                return false;
            }
        }
        return true;
    }

    private static long half(String text, int from) {
        return Long.parseUnsignedLong(text, from, from + 16, 16);
    }

    private static String state(Headers headers) {
        String joined = String.join(",", headers.all("tracestate"));
        boolean isPrintable = joined.chars().allMatch(unit -> unit >= ' ' && unit <= '~');
        return joined.length() <= STATE_MAX && isPrintable ? joined : "";
    }
}
