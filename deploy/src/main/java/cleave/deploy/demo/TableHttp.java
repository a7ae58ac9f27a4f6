package cleave.deploy.demo;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.TableAccount;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Table protocol as this demo needs it, signed with Shared Key Lite. Thread-safe.
 *
 * <p>What the service could not do now (503, 500, a broken connection) is asked again: reads change nothing, and the writes are
 * upserts of the same entities.
 */
final class TableHttp {
    private static final DateTimeFormatter RFC_1123 =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
    private static final String NO_METADATA = "application/json;odata=nometadata";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final TableAccount account;

    TableHttp(TableAccount account) {
        this.account = account;
    }

    /** True if it was made now, false if it was there. */
    boolean createTable(String table) {
        HttpResponse<byte[]> answer = send(() -> request("/Tables", "")
                .header("Content-Type", "application/json")
                .header("Prefer", "return-no-content")
                .POST(BodyPublishers.ofString("{\"TableName\":\"" + table + "\"}")));
        if (answer.statusCode() == 409 && text(answer).contains("TableAlreadyExists")) {
            return false;
        }
        expect(answer, 204, "creating table " + table);
        return true;
    }

    void write(String table, CityBatch batch) {
        String body = batch.body(account.base().toString(), table);
        HttpResponse<byte[]> answer = send(() -> request("/$batch", "")
                .header("Content-Type", CityBatch.CONTENT_TYPE)
                .POST(BodyPublishers.ofString(body)));
        expect(answer, 202, "a transaction of " + batch.cities().size() + " entities");
        String parts = text(answer);
        int written = parts.split("HTTP/1.1 204", -1).length - 1;
        if (written != batch.cities().size()) {
            throw CommandFailure.failed("a transaction was refused: " + parts.replace("\r\n", " "));
        }
    }

    EntityPage point(String table, String partitionKey, String rowKey) {
        HttpResponse<byte[]> answer = send(
                () -> request("/" + entityPath(table, partitionKey, rowKey), "").GET());
        expect(answer, 200, "reading " + partitionKey + "/" + rowKey);
        return page(answer);
    }

    /** One page; the token is that of the page before, null for the first. */
    EntityPage query(String table, String filter, @Nullable String token) {
        String query = "?$select=PartitionKey,RowKey,Name"
                + (filter.isEmpty() ? "" : "&$filter=" + encode(filter))
                + (token == null ? "" : "&" + token);
        HttpResponse<byte[]> answer =
                send(() -> request("/" + table + "()", query).GET());
        expect(answer, 200, "the query " + filter);
        return page(answer);
    }

    static String entityPath(String table, String partitionKey, String rowKey) {
        return table + "(PartitionKey='" + quoted(partitionKey) + "',RowKey='" + quoted(rowKey) + "')";
    }

    private static String quoted(String key) {
        return encode(key.replace("'", "''"));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder request(String path, String query) {
        String raw = path.isEmpty() ? "/" : path;
        URI uri = URI.create(account.base() + raw + query);
        String date = RFC_1123.format(ZonedDateTime.now(ZoneOffset.UTC));
        return HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("x-ms-date", date)
                .header("x-ms-version", "2020-12-06")
                .header("DataServiceVersion", "3.0")
                .header("Accept", NO_METADATA)
                .header(Explain.HEADER, "true")
                .header("Authorization", account.authorization(date, uri.getRawPath()));
    }

    /** Makes a request; each attempt is signed anew. */
    private interface Attempt {
        HttpRequest.Builder make();
    }

    private HttpResponse<byte[]> send(Attempt attempt) {
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
                        + ". Is it running? Start one with 'cleave standalone', or give --connection-string or --dir.");
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

    private static void expect(HttpResponse<byte[]> answer, int status, String what) {
        if (answer.statusCode() != status) {
            throw CommandFailure.failed(what + " was answered " + answer.statusCode() + ": " + text(answer));
        }
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static EntityPage page(HttpResponse<byte[]> answer) {
        try {
            List<String> keys = EntityPage.keysOf(answer.body());
            Explain explain =
                    Explain.parse(answer.headers().firstValue(Explain.HEADER).orElse(null));
            return new EntityPage(keys, token(answer), explain);
        } catch (IOException malformed) {
            throw CommandFailure.failed("an answer is no JSON: " + malformed.getMessage());
        }
    }

    private static @Nullable String token(HttpResponse<byte[]> answer) {
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
