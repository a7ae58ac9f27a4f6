package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An HTTP request in a part of a batch, cut into lines but not interpreted. Immutable. Blank lines are accepted anywhere.
 *
 * @param uri as on the request line, not decoded
 */
record InnerRequest(String verb, String uri, Headers headers, Body body) {
    private static final int LINE_LENGTH_MAX = 32 * 1024;
    private static final int LINES_MAX = 100;

    private record Header(String name, String value) {}

    static InnerRequest read(Body part) {
        Lines lines = new Lines(part);
        String line = lines.next();
        while (line.isEmpty() ? lines.hasNext() : isHeader(line)) {
            line = lines.next();
        }
        int verbEnd = line.indexOf(' ');
        int uriEnd = line.lastIndexOf(' ');
        if (verbEnd <= 0 || uriEnd <= verbEnd || !line.startsWith("HTTP/1.", uriEnd + 1)) {
            throw malformed();
        }
        List<Header> headers = new ArrayList<>();
        for (String header = lines.next(); !header.isEmpty(); header = lines.next()) {
            headers.add(header(header));
        }
        return new InnerRequest(
                line.substring(0, verbEnd),
                line.substring(verbEnd + 1, uriEnd).strip(),
                name -> values(headers, name),
                lines.rest());
    }

    /** The value of a MIME header of a part; empty if there is none. */
    static String mimeHeader(Body part, String name) {
        Lines lines = new Lines(part);
        String line = lines.next();
        while (line.isEmpty() && lines.hasNext()) {
            line = lines.next();
        }
        for (; isHeader(line); line = lines.next()) {
            Header header = header(line);
            if (header.name.equalsIgnoreCase(name)) {
                return header.value;
            }
        }
        return "";
    }

    private static boolean isHeader(String line) {
        int colon = line.indexOf(':');
        int space = line.indexOf(' ');
        return colon > 0 && (space < 0 || colon < space);
    }

    private static Header header(String line) {
        int colon = line.indexOf(':');
        if (colon <= 0) {
            throw malformed();
        }
        return new Header(
                line.substring(0, colon).strip(), line.substring(colon + 1).strip());
    }

    private static List<String> values(List<Header> headers, String name) {
        List<String> values = new ArrayList<>(1);
        for (Header header : headers) {
            if (header.name.equalsIgnoreCase(name)) {
                values.add(header.value);
            }
        }
        return values;
    }

    private static ServiceError malformed() {
        return ServiceError.of(ServiceCode.INVALID_INPUT, "A request in the batch is not well-formed.");
    }

    /** The lines of a part, without line breaks. Confined to one parse. */
    private static final class Lines {
        private final byte[] bytes;
        private final int end;
        private int at;
        private int count;

        Lines(Body part) {
            bytes = part.array();
            at = part.offset();
            end = part.offset() + part.length();
        }

        boolean hasNext() {
            return at < end;
        }

        /** Empty at the end, too. */
        String next() {
            int next = Multipart.lineEnd(bytes, at, end);
            int to = next;
            while (to > at && (bytes[to - 1] == '\n' || bytes[to - 1] == '\r')) {
                to--;
            }
            if (to - at > LINE_LENGTH_MAX || ++count > LINES_MAX) {
                throw malformed();
            }
            String line = new String(bytes, at, to - at, StandardCharsets.ISO_8859_1);
            at = next;
            return line;
        }

        /** The rest, without surrounding blanks. */
        Body rest() {
            int from = at;
            int to = end;
            while (from < to && Multipart.isBlank(bytes[from])) {
                from++;
            }
            while (to > from && Multipart.isBlank(bytes[to - 1])) {
                to--;
            }
            return Multipart.slice(bytes, from, to);
        }
    }
}
