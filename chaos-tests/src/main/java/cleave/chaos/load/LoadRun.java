package cleave.chaos.load;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;

/**
 * One kind of operation on one endpoint for some time, in a closed loop: each connection sends its next request when it has the
 * answer to the last one. Confined to the thread that runs it.
 */
public final class LoadRun {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Endpoint endpoint;
    private final String table;
    private final LoadKind kind;
    private final int connections;
    private final Duration duration;
    private final int firstClient;

    /** @param firstClient number of the first client; the others follow. Never to be used twice on one table */
    LoadRun(Endpoint endpoint, String table, LoadKind kind, int connections, Duration duration, int firstClient) {
        this.endpoint = endpoint;
        this.table = table;
        this.kind = kind;
        this.connections = connections;
        this.duration = duration;
        this.firstClient = firstClient;
    }

    /** One connection and what it measured. */
    private final class Client implements Runnable {
        private final int number;
        private final long deadline;
        private final CountDownLatch answered;
        private volatile boolean stopped;
        private final Histogram latencies = new Histogram(Figures.DIGITS);
        private long failures;
        private String lastFailure = "";

        private Client(int number, long deadline, CountDownLatch answered) {
            this.number = number;
            this.deadline = deadline;
            this.answered = answered;
        }

        private boolean isOver(long nowNanos) {
            return stopped || nowNanos - deadline >= 0;
        }

        @Override
        public void run() {
            while (!isOver(System.nanoTime())) {
                try (Connection connection = Connection.open(endpoint, PATIENCE)) {
                    loop(connection);
                } catch (IOException broken) {
                    failures++;
                    lastFailure = broken.toString();
                }
            }
        }

        private void loop(Connection connection) throws IOException {
            Requests requests = new Requests(endpoint);
            Random random = new Random(number);
            for (long sequence = latencies.getTotalCount() + failures; ; sequence++) {
                long begin = System.nanoTime();
                if (isOver(begin)) {
                    return;
                }
                Answer answer = connection.exchange(kind.next(requests, table, number, sequence, random));
                answered.countDown(); // More often than there are clients does no harm.
                if (isRight(answer)) {
                    latencies.recordValue(System.nanoTime() - begin);
                } else {
                    failures++;
                    lastFailure = answer.toString();
                }
            }
        }

        private boolean isRight(Answer answer) {
            return answer.isSuccess()
                    && (kind != LoadKind.TRANSACTION || !answer.text().contains("HTTP/1.1 4"));
        }
    }

    Figures run() {
        return start().end();
    }

    Started start() {
        return new Started();
    }

    /** A run that is under way. Confined to the thread that started it. */
    final class Started {
        private final long begin = System.nanoTime();
        private final List<Client> clients = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();
        private final CountDownLatch answered = new CountDownLatch(connections);

        private Started() {
            for (int i = 0; i < connections; i++) {
                Client client = new Client(firstClient + i, begin + duration.toNanos(), answered);
                clients.add(client);
                threads.add(new Thread(client, "load-" + kind.id() + "-" + i));
            }
            threads.forEach(Thread::start);
        }

        /** Waits for as many answers as there are connections. */
        void awaitWarm() {
            try {
                answered.await();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }

        /** Sends nothing more. */
        Figures stop() {
            clients.forEach(client -> client.stopped = true);
            return end();
        }

        /** Waits for the end. */
        Figures end() {
            threads.forEach(LoadRun::join);
            long elapsed = System.nanoTime() - begin;
            Histogram all = new Histogram(Figures.DIGITS);
            long failures = 0;
            String lastFailure = "";
            for (Client client : clients) {
                all.add(client.latencies);
                failures += client.failures;
                lastFailure = client.lastFailure.isEmpty() ? lastFailure : client.lastFailure;
            }
            return Figures.of(all, elapsed, failures, lastFailure);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }
}
