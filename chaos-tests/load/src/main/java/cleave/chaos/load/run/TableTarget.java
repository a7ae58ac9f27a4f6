package cleave.chaos.load.run;

import cleave.chaos.load.workload.Workload;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.KeptConnection;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Table service. Thread-safe.
 *
 * @param http2 the connections that all clients share; null: each has one of HTTP/1.1
 */
public record TableTarget(Requests requests, @Nullable Http2Connections http2) implements Target {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy RETRIES = RetryPolicy.fixed(200, Duration.ofMillis(200));

    /** Over HTTP/1.1. */
    public TableTarget(Requests requests) {
        this(requests, null);
    }

    @Override
    public String address() {
        String url = requests.endpoint().url();
        return http2 == null
                ? url
                : url + " over HTTP/2 on " + http2.count() + (http2.count() == 1 ? " connection" : " connections");
    }

    @Override
    public Session open(String table, Workload workload, Duration patience) {
        return new Exchange(requests, table, workload, patience, wire(patience));
    }

    private Exchange.Wire wire(Duration patience) {
        if (http2 != null) {
            return http2.next()::exchange;
        }
        KeptConnection connection = new KeptConnection(requests.endpoint(), patience);
        return new Exchange.Wire() {
            @Override
            public Answer exchange(Request request) throws IOException {
                return connection.exchange(request);
            }

            @Override
            public void close() {
                connection.close();
            }
        };
    }

    @Override
    public void fill(String table, Workload workload) throws IOException {
        Filling.fill(requests, table, workload, null);
    }

    @Override
    public long count(String table) throws IOException {
        long count = 0;
        try (RetryingClient client = new RetryingClient(requests, PATIENCE, RETRIES, Repeat.TRANSIENT)) {
            Continuation from = null;
            do {
                Answer page = client.page(table, List.of("$select=RowKey"), from);
                RetryingClient.expect("counting table " + table, page);
                count += JsonText.entities(page.body()).size();
                from = Continuation.of(page);
            } while (from != null);
        }
        return count;
    }
}
