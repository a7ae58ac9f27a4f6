package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Continuation;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A new table for raw requests. Each exchange uses its own connection. Immutable. */
record RawTable(Endpoint endpoint, Requests requests, String name) {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    static RawTable create(Endpoint endpoint) throws IOException {
        RawTable table = new RawTable(endpoint, new Requests(endpoint), JavaSdk.newTableName());
        Answer created = table.exchange(table.requests.createTable(table.name));
        if (created.status() != 204) {
            throw new IOException("create table: " + created);
        }
        return table;
    }

    Connection connect() throws IOException {
        return Connection.open(endpoint, PATIENCE);
    }

    Answer exchange(Request request) throws IOException {
        try (Connection connection = connect()) {
            return connection.exchange(request);
        }
    }

    Answer insert(String partitionKey, String rowKey, String... members) throws IOException {
        return exchange(requests.insert(name, json(partitionKey, rowKey, members)));
    }

    Answer get(String partitionKey, String rowKey) throws IOException {
        return exchange(requests.get(name, partitionKey, rowKey));
    }

    Answer query(String... options) throws IOException {
        return exchange(requests.query(name, List.of(options)));
    }

    /** All pages of a query, by following its tokens; each must be a success. */
    List<Answer> pages(Connection connection, String... options) throws IOException {
        List<Answer> pages = new ArrayList<>();
        Continuation next = null;
        do {
            Answer page = connection.exchange(requests.query(name, List.of(options), next));
            assertThat(page.status()).as(page.toString()).isEqualTo(200);
            pages.add(page);
            next = Continuation.of(page);
        } while (next != null);
        return pages;
    }

    /** Adds headers that every client sends, and signs. */
    Answer send(Request request) throws IOException {
        return exchange(requests.sign(request));
    }

    String path() {
        return endpoint.prefix() + "/" + name;
    }

    String address(String partitionKey, String rowKey) {
        return requests.address(name, partitionKey, rowKey);
    }

    static String json(String partitionKey, String rowKey, String... members) {
        String keys = "\"PartitionKey\":\"" + partitionKey + "\",\"RowKey\":\"" + rowKey + "\"";
        return "{" + keys + (members.length == 0 ? "" : "," + String.join(",", members)) + "}";
    }

    static void assertRefused(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
        assertThat(answer.errorCode()).as(answer.toString()).isEqualTo(code);
    }
}
