package cleave.chaos.fault;

import cleave.chaos.load.run.Clients;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.KeptConnection;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Clients that behave like SDKs with default settings and check their writes: each upserts a growing number into its
 * own entities and reads it back after each write and at the end. Thread-safe; each client is a thread.
 *
 * <p>Like the SDK for Java, a client resends a request up to three times, after 0.8, 1.6 and 3.2 s or the time that the
 * answer names, if the connection fails or the status is 408, 429 or 5xx (except 501 and 505).
 */
final class SdkLoad implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int ROWS = 8;
    private static final Pattern NUMBER = Pattern.compile("\"N\"\\s*:\\s*(\\d+)");

    private final ReadyFrontEnds frontEnds;
    private final Duration pause;
    private final int count;
    private @Nullable Clients clients;
    private final AtomicBoolean ends = new AtomicBoolean();
    private final AtomicLong writes = new AtomicLong();
    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();

    /**
     * One operation with all its attempts.
     *
     * @param tries the number of attempts
     * @param error why it failed; empty if it did not
     * @param lost the acknowledged write that is missing; empty if none is
     */
    record Seen(long begun, long ended, int tries, String error, String lost) {
        long nanos() {
            return ended - begun;
        }
    }

    /** @param pause of a client between its operations */
    SdkLoad(ReadyFrontEnds frontEnds, int clients, Duration pause) {
        this.frontEnds = frontEnds;
        this.pause = pause;
        this.count = clients;
    }

    void start() {
        clients = Clients.started(count, "client", number -> new Client(number).run());
    }

    /** Operations that have ended, in any order. */
    List<Seen> seen() {
        return List.copyOf(seen);
    }

    long writes() {
        return writes.get();
    }

    /** Ends the load after reading every entity once more. */
    @Override
    public void close() {
        ends.set(true);
        if (clients != null) {
            clients.join();
        }
    }

    private final class Client {
        private final int number;
        private final long[] acknowledged;
        private final long[] attempted;
        private @Nullable Endpoint endpoint;
        private @Nullable KeptConnection connection;

        Client(int number) {
            this.number = number;
            this.acknowledged = new long[ROWS * FaultCluster.PARTITIONS];
            this.attempted = new long[acknowledged.length];
        }

        void run() {
            for (int turn = number; !ends.get(); turn++) {
                int row = turn % acknowledged.length;
                write(row);
                read(row);
                LockSupport.parkNanos(pause.toNanos());
            }
            for (int row = 0; row < acknowledged.length; row++) {
                if (acknowledged[row] > 0) {
                    read(row);
                }
            }
            disconnect();
        }

        private void write(int row) {
            long value = ++attempted[row];
            operate(
                    requests ->
                            requests.put(FaultCluster.TABLE, partition(row), rowKey(row), "", "{\"N\": " + value + "}"),
                    answer -> {
                        acknowledged[row] = value;
                        writes.incrementAndGet();
                        return "";
                    });
        }

        private void read(int row) {
            operate(
                    requests -> requests.get(FaultCluster.TABLE, partition(row), rowKey(row)),
                    answer -> lost(row, answer));
        }

        /** A write of unknown outcome may be present or absent; an acknowledged one is present. */
        private String lost(int row, Answer answer) {
            Matcher found = NUMBER.matcher(answer.status() == 404 ? "\"N\": 0" : answer.text());
            long value = found.find() ? Long.parseLong(found.group(1)) : -1;
            return value >= acknowledged[row] && value <= attempted[row]
                    ? ""
                    : partition(row) + "/" + rowKey(row) + " is " + value + ", acknowledged " + acknowledged[row]
                            + ", attempted " + attempted[row];
        }

        private String partition(int row) {
            return Workload.partitionKey(row % FaultCluster.PARTITIONS);
        }

        private String rowKey(int row) {
            return "sdk-" + number + "-" + row / FaultCluster.PARTITIONS;
        }

        private void operate(Function<Requests, Request> request, Function<Answer, String> check) {
            long begun = System.nanoTime();
            for (int attempt = 0; ; attempt++) {
                double wait = RetryPolicy.SDK.waitSeconds(attempt, ThreadLocalRandom.current());
                String error;
                try {
                    Answer answer = exchange(request);
                    if (!Repeat.TRANSIENT.applies(answer)) {
                        boolean isRight = answer.isSuccess() || answer.status() == 404;
                        String lost = isRight ? check.apply(answer) : "";
                        seen.add(new Seen(
                                begun, System.nanoTime(), attempt + 1, isRight ? "" : answer.toString(), lost));
                        return;
                    }
                    error = answer.toString();
                    String after = answer.header("Retry-After");
                    wait = after.isEmpty() || wait < 0 ? wait : Long.parseLong(after);
                } catch (IOException broken) {
                    if (endpoint != null) {
                        frontEnds.failed(endpoint);
                    }
                    disconnect();
                    error = broken.toString();
                }
                if (wait < 0) {
                    seen.add(new Seen(begun, System.nanoTime(), attempt + 1, error, ""));
                    return;
                }
                LockSupport.parkNanos((long) (wait * 1e9));
            }
        }

        private Answer exchange(Function<Requests, Request> request) throws IOException {
            KeptConnection open = connection;
            Endpoint at = endpoint;
            if (open == null || at == null) {
                at = frontEnds.any();
                endpoint = at;
                open = new KeptConnection(at, PATIENCE);
                connection = open;
            }
            Answer answer = open.exchange(request.apply(new Requests(at)));
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return answer;
        }

        private void disconnect() {
            if (connection != null) {
                connection.close();
                connection = null;
            }
        }
    }
}
