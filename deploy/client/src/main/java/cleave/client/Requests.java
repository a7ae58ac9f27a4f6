package cleave.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Builds the requests of the Table protocol for one endpoint. Immutable.
 *
 * @param signature put on each of them
 */
public record Requests(Endpoint endpoint, UnaryOperator<Request> signature) {
    private static final String NO_CONTENT = "return-no-content";

    /** Signed, as they are made. */
    public Requests(Endpoint endpoint) {
        this(endpoint, endpoint.credential()::sign);
    }

    /** Requests for a caller that signs them as they are sent. */
    public static Requests unsigned(Endpoint endpoint) {
        return new Requests(endpoint, request -> request);
    }

    public Request createTable(String table) {
        return sign(Request.json("POST", endpoint.prefix() + "/Tables")
                .with("Prefer", NO_CONTENT)
                .body("{\"TableName\":\"" + table + "\"}"));
    }

    public Request deleteTable(String table) {
        return sign(Request.json("DELETE", endpoint.prefix() + "/Tables('" + table + "')"));
    }

    public Request insert(String table, String json) {
        return sign(Request.json("POST", endpoint.prefix() + "/" + table)
                .with("Prefer", NO_CONTENT)
                .body(json));
    }

    public Request get(String table, String partitionKey, String rowKey) {
        return sign(Request.json("GET", address(table, partitionKey, rowKey)));
    }

    /** @param ifMatch empty for an upsert */
    public Request put(String table, String partitionKey, String rowKey, String ifMatch, String json) {
        return change("PUT", address(table, partitionKey, rowKey), ifMatch, json);
    }

    /** @param ifMatch empty for an upsert */
    public Request merge(String table, String partitionKey, String rowKey, String ifMatch, String json) {
        return change("PATCH", address(table, partitionKey, rowKey), ifMatch, json);
    }

    private Request change(String method, String target, String ifMatch, String json) {
        Request request = Request.json(method, target).body(json);
        return sign(ifMatch.isEmpty() ? request : request.with("If-Match", ifMatch));
    }

    public Request delete(String table, String partitionKey, String rowKey, String ifMatch) {
        return sign(Request.json("DELETE", address(table, partitionKey, rowKey)).with("If-Match", ifMatch));
    }

    /**
     * @param options such as {@code $top=5}, each encoded
     */
    public Request query(String table, List<String> options) {
        String query = options.isEmpty() ? "" : "?" + String.join("&", options);
        return sign(Request.json("GET", endpoint.prefix() + "/" + table + "()" + query));
    }

    /** @param from where the page begins; null: the first page */
    public Request query(String table, List<String> options, @Nullable Continuation from) {
        if (from == null) {
            return query(table, options);
        }
        List<String> all = new ArrayList<>(options);
        all.addAll(from.options());
        return query(table, all);
    }

    /** An option of a query, encoded. */
    public static String option(String name, String value) {
        return name + "=" + encode(value);
    }

    /** An entity group transaction of inserts or upserts; each part is a verb with an address, and its JSON. */
    public Request transaction(List<Request> parts) {
        String origin = endpoint.origin();
        StringBuilder body = new StringBuilder(256 * (parts.size() + 1));
        body.append("--batch_c\r\nContent-Type: multipart/mixed; boundary=changeset_c\r\n\r\n");
        for (Request part : parts) {
            body.append("--changeset_c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n");
            body.append(part.method()).append(' ').append(origin);
            body.append(part.target()).append(" HTTP/1.1\r\n");
            part.headers().forEach(line -> body.append(line).append("\r\n"));
            body.append("\r\n")
                    .append(new String(part.body(), StandardCharsets.UTF_8))
                    .append("\r\n");
        }
        body.append("--changeset_c--\r\n--batch_c--\r\n");
        return transaction(body.toString());
    }

    /** An entity group transaction with this body, whose outer boundary is {@code batch_c}. */
    public Request transaction(String body) {
        return sign(Request.json("POST", endpoint.prefix() + "/$batch")
                .body("multipart/mixed; boundary=batch_c", body.getBytes(StandardCharsets.UTF_8)));
    }

    /** An operation inside a transaction, with the headers that it has there. */
    public Request part(String method, String target, String ifMatch, String json) {
        Request part = Request.of(method, target).with("Accept", "application/json;odata=minimalmetadata");
        Request conditional = ifMatch.isEmpty() ? part : part.with("If-Match", ifMatch);
        return json.isEmpty() ? conditional : conditional.body(json);
    }

    /** An operation on an entity inside a transaction. An insert (POST) is answered without the entity. */
    public Request part(String method, String table, String partitionKey, String rowKey, String ifMatch, String json) {
        return method.equals("POST")
                ? part(method, endpoint.prefix() + "/" + table, ifMatch, json).with("Prefer", NO_CONTENT)
                : part(method, address(table, partitionKey, rowKey), ifMatch, json);
    }

    /** The path of one entity. */
    public String address(String table, String partitionKey, String rowKey) {
        return endpoint.prefix() + "/" + table + "(PartitionKey='" + literal(partitionKey) + "',RowKey='"
                + literal(rowKey) + "')";
    }

    private static String literal(String key) {
        return encode(key.replace("'", "''")).replace("%27", "'");
    }

    /** Percent-encoded, a space as {@code %20}. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    public Request sign(Request request) {
        return signature.apply(request);
    }
}
