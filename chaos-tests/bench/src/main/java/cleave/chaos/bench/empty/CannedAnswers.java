package cleave.chaos.bench.empty;

import cleave.chaos.load.workload.Entities;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The answers that a real service gives to a point read, an insert and a merge, heads included. Stateless. */
final class CannedAnswers {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private CannedAnswers() {}

    /**
     * Asks a service, on a new table whose name is as long as that of a comparison. IOException if one of the answers is an error.
     *
     * @return the answers by their HTTP methods
     */
    static Map<String, Answer> of(Endpoint service) throws IOException {
        Requests requests = new Requests(service);
        String table = "Empty" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        String partition = Payload.SAMPLE.partition();
        String row = Payload.SAMPLE.row();
        Map<String, Answer> answers = new LinkedHashMap<>();
        try (Connection connection = Connection.open(service, PATIENCE)) {
            sent(connection, requests.createTable(table));
            String whole = Entities.whole(Payload.SAMPLE, 42, Payload.ENTITY_BYTES);
            answers.put("POST", sent(connection, requests.insert(table, whole)));
            answers.put("GET", sent(connection, requests.get(table, partition, row)));
            answers.put("PATCH", sent(connection, requests.merge(table, partition, row, "*", Entities.merged(42))));
            sent(connection, requests.deleteTable(table));
        }
        return answers;
    }

    private static Answer sent(Connection connection, Request request) throws IOException {
        Answer answer = connection.exchange(request);
        if (!answer.isSuccess()) {
            throw new IOException(request + " was answered " + answer);
        }
        return answer;
    }
}
