package cleave.chaos.lab;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Request;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;

/**
 * Sends a request again while the service answers 503, as every client should: nothing was executed then. On few cores a range that has just
 * moved may be busy for seconds, which is not what a lab is about. Stateless.
 */
final class Courtesy {
    private static final int BUSY = 503;
    private static final int TIMES = 60;
    private static final Duration PAUSE = Duration.ofMillis(500);

    private Courtesy() {}

    static Answer exchange(Connection connection, Request request) throws IOException {
        Answer answer = connection.exchange(request);
        for (int time = 0; answer.status() == BUSY && time < TIMES; time++) {
            Wait.until(() -> false, PAUSE, PAUSE);
            answer = connection.exchange(request);
        }
        return answer;
    }
}
