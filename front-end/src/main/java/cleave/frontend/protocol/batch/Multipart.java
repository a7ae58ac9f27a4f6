package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a multipart body at its boundary. Lengths are ignored, because clients often state wrong ones. One pass over the bytes, without
 * a copy. Lines end in CRLF or LF. A delimiter is the end of its line, and need not be the beginning; no JSON text contains one, because
 * a line cannot end within a string.
 */
final class Multipart {
    private static final int BOUNDARY_LENGTH_MAX = 200;
    /** There was no boundary. */
    private static final int NONE = -1;
    /** All parts are complete. */
    private static final int ENDED = -2;

    private Multipart() {}

    /** The boundary in a Content-Type; null if it is not multipart. */
    static @Nullable String boundary(@Nullable String contentType) {
        if (contentType == null) {
            return null;
        }
        String[] parameters = contentType.split(";", -1);
        if (!parameters[0].strip().equalsIgnoreCase("multipart/mixed")) {
            return null;
        }
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            if (equals > 0 && parameter.substring(0, equals).strip().equalsIgnoreCase("boundary")) {
                String value = unquoted(parameter.substring(equals + 1).strip());
                return value.isEmpty() || value.length() > BOUNDARY_LENGTH_MAX ? null : value;
            }
        }
        return null;
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    /** The parts; null if the last boundary is missing. Stops at one part more than the maximum. */
    static @Nullable List<Body> parts(Body whole, String boundary, int max) {
        List<Body> parts = new ArrayList<>();
        return split(whole, boundary, max, parts) == ENDED ? parts : null;
    }

    /**
     * Splits as {@link #parts} does, but the end of the body ends the last part as well: several clients write their last boundary without the
     * hyphens that mark it. Null if there is no boundary.
     */
    static @Nullable List<Body> partsUpToTheEnd(Body whole, String boundary, int max) {
        List<Body> parts = new ArrayList<>();
        int open = split(whole, boundary, max, parts);
        int end = whole.offset() + whole.length();
        if (open >= 0 && !isBlank(whole.array(), open, end)) {
            parts.add(slice(whole.array(), open, end));
        }
        return open == NONE ? null : parts;
    }

    /**
     * Collects the parts that a boundary ends, without the line breaks that belong to the boundaries. Text before the first and after the
     * last boundary is ignored.
     *
     * @return where a part begins that no boundary ends, {@link #ENDED} or {@link #NONE}
     */
    private static int split(Body whole, String boundary, int max, List<Body> parts) {
        byte[] inner = ("--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        byte[] last = ("--" + boundary + "--").getBytes(StandardCharsets.ISO_8859_1);
        byte[] bytes = whole.array();
        int end = whole.offset() + whole.length();
        int open = NONE;
        for (int line = whole.offset(); line < end; ) {
            int next = lineEnd(bytes, line, end);
            int to = withoutBlanks(bytes, line, next);
            boolean isLast = endsWith(bytes, line, to, last);
            if (isLast || endsWith(bytes, line, to, inner)) {
                int from = to - (isLast ? last : inner).length;
                if (open >= 0) {
                    // A delimiter within a line has no line break before it: some clients write it right behind a body.
                    int partEnd = from == line ? withoutLineBreak(bytes, from, open) : from;
                    parts.add(slice(bytes, open, Math.max(open, partEnd)));
                }
                if (isLast || parts.size() > max) {
                    return ENDED;
                }
                open = next;
            }
            line = next;
        }
        return open;
    }

    private static boolean endsWith(byte[] bytes, int from, int to, byte[] suffix) {
        return to - from >= suffix.length && Arrays.equals(bytes, to - suffix.length, to, suffix, 0, suffix.length);
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        return withoutBlanks(bytes, from, to) == from;
    }

    private static int withoutBlanks(byte[] bytes, int from, int to) {
        int end = to;
        while (end > from && isBlank(bytes[end - 1])) {
            end--;
        }
        return end;
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r' || b == '\n';
    }

    /** The index after the LF of the line. */
    static int lineEnd(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != '\n') {
            at++;
        }
        return Math.min(at + 1, end);
    }

    private static int withoutLineBreak(byte[] bytes, int end, int start) {
        int at = end;
        if (at > start && bytes[at - 1] == '\n') {
            at--;
            if (at > start && bytes[at - 1] == '\r') {
                at--;
            }
        }
        return at;
    }

    static Body slice(byte[] bytes, int from, int to) {
        return new Body(bytes, from, to - from);
    }
}
