package cleave.deploy.access;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the Table protocol, signed with Shared Key Lite. Thread-safe.
 *
 * <p>What the service could not do now (503, 500, a broken connection) is asked again: so only what may be done twice is to be sent.
 */
public final class SignedHttp {
    private static final DateTimeFormatter RFC_1123 =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** Errors in JSON or XML; of the message the first line, without the number of a transaction's operation. */
    private static final Pattern CODE = Pattern.compile("(?:\"code\":\\s*\"|<(?:m:c|C|c)ode>)([A-Za-z]+)");

    private static final Pattern MESSAGE =
            Pattern.compile("(?:\"value\":\\s*\"|<(?:m:m|M|m)essage[^>]*>)(?:\\d{1,3}:)?((?:[^\"\\\\<\\n]|\\\\[^n])*)");
    private static final Pattern OPERATION = Pattern.compile("\"value\":\\s*\"(\\d{1,3}):");
    private static final Pattern PART_STATUS = Pattern.compile("(?m)^HTTP/1\\.1 (\\d{3})");
    private static final int UNKNOWN_MAX = 300;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final TableAccount account;

    public SignedHttp(TableAccount account) {
        this.account = account;
    }

    public TableAccount account() {
        return account;
    }

    public static String entityPath(String table, String partitionKey, String rowKey) {
        return table + "(PartitionKey='" + quoted(partitionKey) + "',RowKey='" + quoted(rowKey) + "')";
    }

    private static String quoted(String key) {
        return encode(key.replace("'", "''"));
    }

    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** @param query with its question mark, or empty; {@code comp} comes first in it */
    public HttpRequest.Builder request(String path, String query) {
        String raw = path.isEmpty() ? "/" : path;
        URI uri = URI.create(account.base() + raw + query);
        String date = RFC_1123.format(ZonedDateTime.now(ZoneOffset.UTC));
        String signed = uri.getRawPath() + (query.startsWith("?comp=") ? query : ""); // All that is signed of a query.
        return HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("x-ms-date", date)
                .header("x-ms-version", "2020-12-06")
                .header("DataServiceVersion", "3.0")
                .header("Authorization", account.authorization(date, signed));
    }

    /** Makes a request; each attempt is signed anew. */
    public interface Attempt {
        HttpRequest.Builder make();
    }

    public HttpResponse<byte[]> send(Attempt attempt) {
        Sending sending = new Sending(attempt);
        Wait.until(sending::isAnswered, PATIENCE, PAUSE);
        return sending.outcome();
    }

    private final class Sending {
        private final Attempt attempt;
        private @Nullable HttpResponse<byte[]> answer;
        private @Nullable IOException broken;

        Sending(Attempt attempt) {
            this.attempt = attempt;
        }

        boolean isAnswered() {
            try {
                answer = http.send(attempt.make().build(), BodyHandlers.ofByteArray());
                return answer.statusCode() != 503 && answer.statusCode() != 500;
            } catch (ConnectException nobody) {
                throw CommandFailure.unreachable("no service answers at " + account.base()
                        + ". Is it running? Start one with 'cleave standalone', or name another one by an option.");
            } catch (IOException failed) {
                broken = failed;
                return false;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for an answer", interrupted);
            }
        }

        HttpResponse<byte[]> outcome() {
            if (answer == null) {
                throw CommandFailure.unreachable(
                        "no answer from " + account.base() + " within " + PATIENCE.toSeconds() + " s: " + broken);
            }
            return answer;
        }
    }

    public static void expect(HttpResponse<byte[]> answer, int status, String what) {
        if (answer.statusCode() != status) {
            throw CommandFailure.failed(what + " was answered " + problem(answer));
        }
    }

    /** What the service says of a refusal: its status, code and message; of a transaction, those of the operation that was refused. */
    public static String problem(HttpResponse<byte[]> answer) {
        String text = text(answer);
        String code = found(CODE, text);
        if (code.isEmpty()) {
            String body = text.strip();
            return answer.statusCode()
                    + (body.isEmpty() ? "" : ": " + body.substring(0, Math.min(body.length(), UNKNOWN_MAX)));
        }
        String status = found(PART_STATUS, text);
        return (status.isEmpty() ? answer.statusCode() : status) + " " + code + ": " + found(MESSAGE, text);
    }

    /** The number of the refused operation of a transaction, from 0; -1 if the answer does not say. */
    public static int refusedOperation(HttpResponse<byte[]> answer) {
        String number = found(OPERATION, text(answer));
        return number.isEmpty() ? -1 : Integer.parseInt(number);
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1).replace("\\\"", "\"") : "";
    }

    public static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** As the next page's query wants it; null if there is no next page. */
    public static @Nullable String token(HttpResponse<byte[]> answer) {
        Optional<String> partitionKey = answer.headers().firstValue("x-ms-continuation-NextPartitionKey");
        if (partitionKey.isEmpty()) {
            return null;
        }
        return "NextPartitionKey=" + encode(partitionKey.get())
                + answer.headers()
                        .firstValue("x-ms-continuation-NextRowKey")
                        .map(row -> "&NextRowKey=" + encode(row))
                        .orElse("");
    }
}
