package cleave.chaos.load.run;

import cleave.chaos.load.workload.Workload;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.Repeat;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A Table service. Immutable. */
public record TableTarget(Requests requests) implements Target {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy RETRIES = RetryPolicy.fixed(200, Duration.ofMillis(200));

    @Override
    public String address() {
        return requests.endpoint().url();
    }

    @Override
    public Session open(String table, Workload workload, Duration patience) {
        return new Exchange(requests, table, workload, patience);
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
