package cleave.deploy;

import cleave.deploy.access.TableAccount;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Single requests of the Table protocol, sent once each and not repeated. Thread-safe. */
public final class RawTables {
    private static final DateTimeFormatter RFC_1123 =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private final HttpClient http;
    private final TableAccount account;

    public RawTables(TableAccount account) {
        this(
                account,
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    }

    public RawTables(TableAccount account, HttpClient http) {
        this.account = account;
        this.http = http;
    }

    public int createTable(String table) throws IOException, InterruptedException {
        return send(request("/Tables").POST(BodyPublishers.ofString("{\"TableName\":\"" + table + "\"}")))
                .statusCode();
    }

    public int deleteTable(String table) throws IOException, InterruptedException {
        return send(request("/Tables('" + table + "')").DELETE()).statusCode();
    }

    /** Insert or replace; 204 if it was done. */
    public int put(String table, String partitionKey, String rowKey, String text)
            throws IOException, InterruptedException {
        return send(request(path(table, partitionKey, rowKey))
                        .PUT(BodyPublishers.ofString("{\"Text\":\"" + text + "\"}")))
                .statusCode();
    }

    public HttpResponse<String> get(String table, String partitionKey, String rowKey)
            throws IOException, InterruptedException {
        return send(request(path(table, partitionKey, rowKey)).GET());
    }

    private static String path(String table, String partitionKey, String rowKey) {
        return "/" + table + "(PartitionKey='" + partitionKey + "',RowKey='" + rowKey + "')";
    }

    private HttpRequest.Builder request(String path) {
        URI uri = URI.create(account.base() + path);
        String date = RFC_1123.format(ZonedDateTime.now(ZoneOffset.UTC));
        return HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(60))
                .header("x-ms-date", date)
                .header("x-ms-version", "2020-12-06")
                .header("Content-Type", "application/json")
                .header("Accept", "application/json;odata=nometadata")
                .header("Authorization", account.authorization(date, uri.getRawPath()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }
}
