package cleave.chaos.fault;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    private static final int TRIES = 4;
    private static final long DELAY_NANOS = 800_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int ROWS = 8;
    private static final Pattern NUMBER = Pattern.compile("\"N\"\\s*:\\s*(\\d+)");

    private final ReadyFrontEnds frontEnds;
    private final Duration pause;
    private final List<Thread> threads = new ArrayList<>();
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
        for (int client = 0; client < clients; client++) {
            int number = client;
            threads.add(new Thread(() -> new Client(number).run(), "client " + number));
        }
    }

    void start() {
        threads.forEach(Thread::start);
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
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE.toMillis());
                if (thread.isAlive()) {
                    throw new IllegalStateException(thread.getName() + " has not ended within " + PATIENCE);
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Client {
        private final int number;
        private final long[] acknowledged;
        private final long[] attempted;
        private @Nullable Connection connection;
        private @Nullable Endpoint endpoint;

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
            String error = "";
            for (int attempt = 0; attempt < TRIES; attempt++) {
                long delay = DELAY_NANOS << attempt;
                try {
                    Answer answer = exchange(request);
                    if (!isRetried(answer.status())) {
                        boolean isRight = answer.isSuccess() || answer.status() == 404;
                        String lost = isRight ? check.apply(answer) : "";
                        seen.add(new Seen(
                                begun, System.nanoTime(), attempt + 1, isRight ? "" : answer.toString(), lost));
                        return;
                    }
                    error = answer.toString();
                    String after = answer.header("Retry-After");
                    delay = after.isEmpty()
                            ? delay
                            : Duration.ofSeconds(Long.parseLong(after)).toNanos();
                } catch (IOException broken) {
                    if (endpoint != null) {
                        frontEnds.failed(endpoint);
                    }
                    disconnect();
                    error = broken.toString();
                }
                if (attempt + 1 < TRIES) {
                    LockSupport.parkNanos(delay);
                }
            }
            seen.add(new Seen(begun, System.nanoTime(), TRIES, error, ""));
        }

        private static boolean isRetried(int status) {
            return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
        }

        private Answer exchange(Function<Requests, Request> request) throws IOException {
            Connection open = connection;
            Endpoint at = endpoint;
            if (open == null || at == null) {
                at = frontEnds.any();
                endpoint = at;
                open = Connection.open(at, PATIENCE);
                connection = open;
            }
            Answer answer = open.exchange(request.apply(new Requests(at)));
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return answer;
        }

        private void disconnect() {
            Connection open = connection;
            connection = null;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException broken) {
                    // The connection is gone in any case.
                }
            }
        }
    }
}
