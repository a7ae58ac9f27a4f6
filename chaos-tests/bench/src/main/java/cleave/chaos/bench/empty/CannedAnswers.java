package cleave.chaos.bench.empty;

import cleave.chaos.load.workload.Entities;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The answers that a real service gives to a point read, an insert and a merge, by their HTTP methods, heads included. Immutable; passed from
 * process to process in a file.
 */
record CannedAnswers(Map<String, Answer> byMethod) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String STATUS = "status";
    private static final String BODY = "body";

    CannedAnswers {
        byMethod = Map.copyOf(byMethod);
    }

    /** Asks a service, on a new table whose name is as long as that of a comparison. IOException if one of the answers is an error. */
    static CannedAnswers of(Endpoint service) throws IOException {
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
        return new CannedAnswers(answers);
    }

    private static Answer sent(Connection connection, Request request) throws IOException {
        Answer answer = connection.exchange(request);
        if (!answer.isSuccess()) {
            throw new IOException(request + " was answered " + answer);
        }
        return answer;
    }

    void write(Path file) throws IOException {
        Properties properties = new Properties();
        byMethod.forEach((method, answer) -> {
            properties.setProperty(method + "." + STATUS, Integer.toString(answer.status()));
            properties.setProperty(method + "." + BODY, answer.text());
            answer.headers().forEach((name, value) -> properties.setProperty(method + ".header." + name, value));
        });
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
    }

    static CannedAnswers read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        Map<String, Answer> answers = new LinkedHashMap<>();
        for (String key : properties.stringPropertyNames()) {
            if (key.endsWith("." + STATUS)) {
                String method = key.substring(0, key.indexOf('.'));
                answers.put(method, read(properties, method));
            }
        }
        return new CannedAnswers(answers);
    }

    private static Answer read(Properties properties, String method) {
        String prefix = method + ".header.";
        Map<String, String> headers = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            if (key.startsWith(prefix)) {
                headers.put(key.substring(prefix.length()), properties.getProperty(key));
            }
        }
        return new Answer(
                Integer.parseInt(properties.getProperty(method + "." + STATUS)),
                headers,
                properties.getProperty(method + "." + BODY).getBytes(StandardCharsets.UTF_8));
    }
}
