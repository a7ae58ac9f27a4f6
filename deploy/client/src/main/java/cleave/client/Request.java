package cleave.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One HTTP request, as it will stand on the wire. Immutable. Nothing is checked or repaired: hostile requests are its purpose
 * too.
 *
 * @param target of the request line: encoded path and query
 * @param headers lines without their line end, in order
 */
@SuppressWarnings("ArrayRecordComponent") // Requests are sent, never compared.
public record Request(String method, String target, List<String> headers, byte[] body) {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private static final Pattern SIGNATURE = Pattern.compile("([?&]sig=)[^&]*");
    private static final byte[] NO_BODY = {};

    public Request {
        headers = List.copyOf(headers);
    }

    public static Request of(String method, String target) {
        return new Request(method, target, List.of(), NO_BODY);
    }

    /** A request with the headers that every client sends. */
    public static Request json(String method, String target) {
        return of(method, target)
                .with("Accept", "application/json;odata=minimalmetadata")
                .with("x-ms-version", "2019-02-02")
                .with("DataServiceVersion", "3.0");
    }

    public Request with(String name, String value) {
        return withLine(name + ": " + value);
    }

    /** Adds a header line as it is. */
    public Request withLine(String line) {
        List<String> more = new ArrayList<>(headers);
        more.add(line);
        return new Request(method, target, more, body);
    }

    public Request without(String name) {
        List<String> fewer = new ArrayList<>(headers);
        fewer.removeIf(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1));
        return new Request(method, target, fewer, body);
    }

    public Request body(String contentType, byte[] bytes) {
        return new Request(method, target, headers, bytes).with("Content-Type", contentType);
    }

    public Request body(String json) {
        return body("application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    /** Signed in the short form, now. */
    public Request signed(SharedKey key) {
        return signed(key, Instant.now());
    }

    /** Signed in the short form. */
    public Request signed(SharedKey key, Instant at) {
        String date = date(at);
        return with("x-ms-date", date).with("Authorization", key.lite(date, path(), comp()));
    }

    /** The date as HTTP writes it. */
    public static String date(Instant at) {
        return HTTP_DATE.format(at);
    }

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private String comp() {
        int query = target.indexOf('?');
        if (query >= 0) {
            for (String parameter : target.substring(query + 1).split("&")) {
                if (parameter.startsWith("comp=")) {
                    return parameter.substring("comp=".length());
                }
            }
        }
        return "";
    }

    /** The value of a header; empty if there is none. */
    public String header(String name) {
        for (String line : headers) {
            if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                return line.substring(name.length() + 1).trim();
            }
        }
        return "";
    }

    /** The bytes to send; Host and Content-Length are added unless a header says otherwise. */
    public byte[] toBytes(String host) {
        StringBuilder head = new StringBuilder(512);
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        if (header("Host").isEmpty()) {
            head.append("Host: ").append(host).append("\r\n");
        }
        for (String line : headers) {
            head.append(line).append("\r\n");
        }
        if (header("Content-Length").isEmpty() && header("Transfer-Encoding").isEmpty() && mayHaveBody()) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        head.append("\r\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(head.length() + body.length);
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(body);
        return bytes.toByteArray();
    }

    private boolean mayHaveBody() {
        return body.length > 0 || !(method.equals("GET") || method.equals("DELETE") || method.equals("HEAD"));
    }

    /** Leaves out the part of a shared access signature that proves it. */
    @Override
    public String toString() {
        return method + " " + SIGNATURE.matcher(target).replaceAll("$1...");
    }
}
