package cleave.chaos.client;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One HTTP response. Immutable.
 *
 * @param headers by name in lower case; the last of equal names counts
 */
@SuppressWarnings("ArrayRecordComponent") // Answers are read, never compared.
public record Answer(int status, Map<String, String> headers, byte[] body) {
    private static final Pattern JSON_CODE = Pattern.compile("\"code\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern XML_CODE = Pattern.compile("<(?:m:)?code>([^<]*)</");

    public Answer {
        headers = Map.copyOf(headers);
    }

    /** The value of a header; empty if there is none. */
    public String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public String etag() {
        return header("ETag");
    }

    /** The error code of the service, from a JSON or XML error body; empty if there is none. */
    public String errorCode() {
        for (Pattern pattern : new Pattern[] {JSON_CODE, XML_CODE}) {
            Matcher matcher = pattern.matcher(text());
            if (matcher.find()) {
                return matcher.group(1);
            }
        }
        return "";
    }

    public boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    @Override
    public String toString() {
        String text = text();
        return status + " " + (text.length() > 500 ? text.substring(0, 500) + "..." : text);
    }
}
