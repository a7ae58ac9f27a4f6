package cleave.chaos.process;

import cleave.board.scrape.Metrics;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Request;
import cleave.model.Readiness;
import java.io.IOException;
import java.time.Duration;

/** The admin port of one process, asked over HTTP. Immutable; each question is a connection of its own. */
public record AdminPort(int port) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The answer of {@code /readyz}. */
    public Readiness readiness() throws IOException {
        Answer answer = get("/readyz");
        if (answer.status() != 200 && answer.status() != 503) {
            throw new IOException("/readyz answered " + answer);
        }
        return new Readiness(answer.status() == 200, answer.text().trim());
    }

    public boolean isReady() throws IOException {
        return readiness().ready();
    }

    public boolean isHealthy() throws IOException {
        return get("/healthz").status() == 200;
    }

    public Metrics metrics() throws IOException {
        Answer answer = get("/metrics");
        if (answer.status() != 200) {
            throw new IOException("/metrics answered " + answer.status());
        }
        return Metrics.parse(answer.text());
    }

    private Answer get(String path) throws IOException {
        try (Connection connection = Connection.open("127.0.0.1", port, PATIENCE)) {
            return connection.exchange(Request.of("GET", path).with("Connection", "close"));
        }
    }
}
