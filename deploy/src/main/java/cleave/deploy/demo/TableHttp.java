package cleave.deploy.demo;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.SignedHttp;
import cleave.deploy.access.TableAccount;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of the parts of the Table protocol that the demo needs. Thread-safe. Its writes are upserts of the same
 * entities, so they may be repeated.
 */
final class TableHttp {
    private static final String NO_METADATA = "application/json;odata=nometadata";
    private final SignedHttp http;
    private final TableAccount account;

    TableHttp(TableAccount account) {
        this.account = account;
        http = new SignedHttp(account);
    }

    /** True if the table was created, false if it existed. */
    boolean createTable(String table) {
        HttpResponse<byte[]> answer = http.send(() -> request("/Tables", "")
                .header("Content-Type", "application/json")
                .header("Prefer", "return-no-content")
                .POST(BodyPublishers.ofString("{\"TableName\":\"" + table + "\"}")));
        if (answer.statusCode() == 409 && SignedHttp.text(answer).contains("TableAlreadyExists")) {
            return false;
        }
        SignedHttp.expect(answer, 204, "creating table " + table);
        return true;
    }

    void write(String table, CityBatch batch) {
        String body = batch.body(account.base().toString(), table);
        HttpResponse<byte[]> answer = http.send(() -> request("/$batch", "")
                .header("Content-Type", CityBatch.CONTENT_TYPE)
                .POST(BodyPublishers.ofString(body)));
        SignedHttp.expect(answer, 202, "transaction of " + batch.cities().size() + " entities");
        String parts = SignedHttp.text(answer);
        int written = parts.split("HTTP/1.1 204", -1).length - 1;
        if (written != batch.cities().size()) {
            throw CommandFailure.failed("a transaction was refused: " + SignedHttp.problem(answer));
        }
    }

    EntityPage point(String table, String partitionKey, String rowKey) {
        HttpResponse<byte[]> answer =
                http.send(() -> request("/" + SignedHttp.entityPath(table, partitionKey, rowKey), "")
                        .GET());
        SignedHttp.expect(answer, 200, "reading " + partitionKey + "/" + rowKey);
        return page(answer);
    }

    /** One page; the token is that of the page before, null for the first. */
    EntityPage query(String table, String filter, @Nullable String token) {
        String query = "?$select=PartitionKey,RowKey,Name"
                + (filter.isEmpty() ? "" : "&$filter=" + SignedHttp.encode(filter))
                + (token == null ? "" : "&" + token);
        HttpResponse<byte[]> answer =
                http.send(() -> request("/" + table + "()", query).GET());
        SignedHttp.expect(answer, 200, "the query " + filter);
        return page(answer);
    }

    private HttpRequest.Builder request(String path, String query) {
        return http.request(path, query).header("Accept", NO_METADATA).header(Explain.HEADER, "true");
    }

    private static EntityPage page(HttpResponse<byte[]> answer) {
        try {
            List<String> keys = EntityPage.keysOf(answer.body());
            Explain explain =
                    Explain.parse(answer.headers().firstValue(Explain.HEADER).orElse(null));
            return new EntityPage(keys, SignedHttp.token(answer), explain);
        } catch (IOException malformed) {
            throw CommandFailure.failed("an answer is not JSON: " + malformed.getMessage());
        }
    }
}
