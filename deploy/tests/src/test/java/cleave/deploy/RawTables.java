package cleave.deploy;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;

/** Single requests of the Table protocol, sent once each, over a connection each. Thread-safe. */
public final class RawTables {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Requests requests;

    public RawTables(Endpoint account) {
        this.requests = new Requests(account);
    }

    public int createTable(String table) throws IOException {
        return send(requests.createTable(table)).status();
    }

    public int deleteTable(String table) throws IOException {
        return send(requests.deleteTable(table)).status();
    }

    /** Insert or replace; 204 if it was done. */
    public int put(String table, String partitionKey, String rowKey, String text) throws IOException {
        return send(requests.put(table, partitionKey, rowKey, "", "{\"Text\":\"" + text + "\"}"))
                .status();
    }

    public Answer get(String table, String partitionKey, String rowKey) throws IOException {
        return send(requests.get(table, partitionKey, rowKey));
    }

    public Answer send(Function<Requests, Request> request) throws IOException {
        return send(request.apply(requests));
    }

    private Answer send(Request request) throws IOException {
        try (Connection connection = Connection.open(requests.endpoint(), PATIENCE)) {
            return connection.exchange(request);
        }
    }
}
