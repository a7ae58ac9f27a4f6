package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a multipart body at its boundary. Lengths are ignored, because clients often state wrong ones. One pass over the bytes, without
 * a copy. Lines end in CRLF or LF.
 */
final class Multipart {
    private static final int BOUNDARY_LENGTH_MAX = 200;

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

    /**
     * The parts, without the line breaks that belong to the boundaries. Text before the first and after the last boundary is ignored. Null
     * if the last boundary is missing. Stops at one part more than the maximum.
     */
    static @Nullable List<Body> parts(Body whole, String boundary, int max) {
        byte[] delimiter = ("--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        List<Body> parts = new ArrayList<>();
        byte[] bytes = whole.array();
        int end = whole.offset() + whole.length();
        int partStart = -1;
        for (int line = whole.offset(); line < end; ) {
            int next = lineEnd(bytes, line, end);
            Delimiter kind = delimiter(bytes, line, next, delimiter);
            if (kind != Delimiter.NONE) {
                if (partStart >= 0) {
                    parts.add(slice(bytes, partStart, Math.max(partStart, withoutLineBreak(bytes, line, partStart))));
                }
                if (kind == Delimiter.LAST || parts.size() > max) {
                    return parts;
                }
                partStart = next;
            }
            line = next;
        }
        return null;
    }

    private enum Delimiter {
        NONE,
        INNER,
        LAST
    }

    private static Delimiter delimiter(byte[] bytes, int from, int to, byte[] delimiter) {
        if (to - from < delimiter.length) {
            return Delimiter.NONE;
        }
        for (int i = 0; i < delimiter.length; i++) {
            if (bytes[from + i] != delimiter[i]) {
                return Delimiter.NONE;
            }
        }
        int at = from + delimiter.length;
        boolean isLast = to - at >= 2 && bytes[at] == '-' && bytes[at + 1] == '-';
        for (int i = isLast ? at + 2 : at; i < to; i++) {
            if (!isBlank(bytes[i])) {
                return Delimiter.NONE; // A longer boundary that begins like this one.
            }
        }
        return isLast ? Delimiter.LAST : Delimiter.INNER;
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
