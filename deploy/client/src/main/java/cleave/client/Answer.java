package cleave.client;

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
    /** Errors in JSON or XML; of the message the first line, without the number of a transaction's operation. */
    private static final Pattern JSON_CODE = Pattern.compile("\"code\"\\s*:\\s*\"([^\"]*)\"");

    private static final Pattern XML_CODE = Pattern.compile("<(?:m:)?[cC]ode>([^<]*)</");
    private static final Pattern MESSAGE = Pattern.compile(
            "(?:\"value\"\\s*:\\s*\"|<(?:m:)?[mM]essage[^>]*>)(?:\\d{1,3}:)?((?:[^\"\\\\<\\n]|\\\\[^n])*)");
    private static final Pattern OPERATION = Pattern.compile("\"value\"\\s*:\\s*\"(\\d{1,3}):");
    private static final String PART_STATUS = "\nHTTP/1.1 ";
    private static final int ACCEPTED = 202;
    private static final int UNKNOWN_MAX = 300;

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
        String text = text();
        String code = found(JSON_CODE, text);
        return code.isEmpty() ? found(XML_CODE, text) : code;
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** The answer within that to a transaction: with the status of the operation that was refused, or else of the last one. Any other answer is itself. */
    public Answer inner() {
        int inner = innerStatus();
        return inner < 0 ? this : new Answer(inner, headers, body);
    }

    /** The status of the last operation in the answer to a transaction; -1 if there is none. */
    private int innerStatus() {
        if (status != ACCEPTED) {
            return -1;
        }
        String text = text();
        int last = text.lastIndexOf(PART_STATUS);
        int digits = last + PART_STATUS.length();
        return last < 0 || text.length() < digits + 3 ? -1 : Integer.parseInt(text.substring(digits, digits + 3));
    }

    /** True if this is the answer to a transaction whose operations were all executed. */
    public boolean isCommitted() {
        int inner = innerStatus();
        return inner >= 200 && inner < 300;
    }

    /** The number of the operation of a transaction that was refused, from 0; -1 if the answer does not say. */
    public int refusedOperation() {
        String number = found(OPERATION, text());
        return number.isEmpty() ? -1 : Integer.parseInt(number);
    }

    /** The service's account of a refusal: status, code and message; for a transaction, those of the operation that was refused. */
    public String problem() {
        String code = errorCode();
        if (code.isEmpty()) {
            String text = text().strip();
            return status + (text.isEmpty() ? "" : ": " + text.substring(0, Math.min(text.length(), UNKNOWN_MAX)));
        }
        return inner().status + " " + code + ": " + found(MESSAGE, text()).replace("\\\"", "\"");
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
