package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabSystem;
import cleave.chaos.lab.Measurement;
import cleave.chaos.picture.Chart.Series;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryPolicy.Strategy;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Clients that were refused together: whether they come back, and whether they come back together. */
final class Retries implements Measurement {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BUSY = 503;
    private static final int LIMIT = LabSystem.PARTITION_ENTITIES_PER_SECOND;
    /** Each request writes this number: a partition takes two such requests a second. */
    private static final int ENTITIES = 100;
    /** All waits are shorter than the documentation's by this factor. */
    private static final double SCALE = 100;

    private static final double Z = 30 / SCALE;
    private static final double Z_MIN = 3 / SCALE;
    private static final double Z_MAX = 90 / SCALE;
    private static final int RETRIES_MAX = 100;

    /** To overload a partition, this number of requests is sent at a time, for at most {@link #ROUNDS_MAX} rounds. */
    private static final int OVERLOADING = 4;

    private static final int ROUNDS_MAX = 20;

    private static final int IMAGINED = 200;
    private static final int IMAGINED_RETRIES = 5;
    private static final double SLOTS_OF_Z = 10;

    private static final List<RetryPolicy> POLICIES =
            List.of(RetryPolicy.NONE, policy(Strategy.FIXED), policy(Strategy.EXPONENTIAL));

    private static RetryPolicy policy(Strategy strategy) {
        return new RetryPolicy(strategy, RETRIES_MAX, Z, Z_MIN, Z_MAX, 0.8, 1.2);
    }

    /**
     * One attempt of a client. Immutable.
     *
     * @param seconds when it was sent, since the client's first
     * @param answerSeconds until its answer
     */
    record Attempt(double seconds, double answerSeconds, boolean isRefused) {}

    /** The clients of one strategy. Immutable. */
    record Way(RetryPolicy policy, int clients, int served, List<Attempt> attempts) {
        String strategy() {
            return policy.strategy().id();
        }

        int requests() {
            return attempts.size();
        }

        /** How many requests are refused in a model. */
        int modelled() {
            return Retries.modelled(policy, clients);
        }

        /** The mean time until an answer. */
        double answerSeconds() {
            return attempts.stream()
                    .mapToDouble(Attempt::answerSeconds)
                    .average()
                    .orElse(0);
        }

        long refused() {
            return attempts.stream().filter(Attempt::isRefused).count();
        }

        double seconds() {
            return attempts.stream().mapToDouble(Attempt::seconds).max().orElse(0);
        }
    }

    /**
     * The measurements of this lab. Immutable.
     *
     * @param imagined retries over time, without a service
     * @param fixed how many clients come back in each slot of time in which any does, without a service
     * @param exponential the same, from the second retry on
     */
    record Seen(List<Series> imagined, Collection<Integer> fixed, Collection<Integer> exponential, List<Way> ways) {
        static Seen of(List<Way> ways) {
            return new Seen(
                    POLICIES.subList(1, POLICIES.size()).stream()
                            .map(Retries::imagined)
                            .toList(),
                    slots(POLICIES.get(1), 0).values(),
                    slots(POLICIES.get(2), 1).values(),
                    ways);
        }
    }

    @Override
    public Seen of(LabRun run) throws IOException {
        int clients = run.of(8, 24);
        List<Way> ways = new ArrayList<>();
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Throttled");
            for (RetryPolicy policy : POLICIES) {
                run.progress(policy.toString());
                overload(run.endpoint(), table, policy);
                ways.add(ask(run.endpoint(), table, policy, clients));
            }
        }
        return Seen.of(ways);
    }

    /** When clients that are refused at 0, and at each retry, come back: the number of them in each slot of time. */
    private static Map<Integer, Integer> slots(RetryPolicy policy, int fromRetry) {
        Random random = new Random(1);
        Map<Integer, Integer> slots = new TreeMap<>();
        for (int client = 0; client < IMAGINED; client++) {
            double seconds = 0;
            for (int retry = 0; retry < IMAGINED_RETRIES; retry++) {
                seconds += policy.waitSeconds(retry, random);
                if (retry >= fromRetry) {
                    slots.merge((int) Math.floor(seconds / Z * SLOTS_OF_Z + 1e-6), 1, Integer::sum);
                }
            }
        }
        return slots;
    }

    private static Series imagined(RetryPolicy policy) {
        Map<Integer, Integer> slots = slots(policy, 0);
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        int last = Collections.max(slots.keySet());
        for (int slot = 0; slot <= last + 1; slot++) {
            x.add(slot / SLOTS_OF_Z);
            y.add((double) slots.getOrDefault(slot, 0));
        }
        return new Series(policy.strategy().id(), x, y);
    }

    /** A client that is to try at a time. Immutable. */
    private record Due(double seconds, int client, int retries) {}

    /** How many requests are refused if everything but the bucket takes no time; the bucket is empty at first, as an overload leaves it. */
    private static int modelled(RetryPolicy policy, int clients) {
        Random random = new Random(1);
        PriorityQueue<Due> queue =
                new PriorityQueue<>(Comparator.comparingDouble(Due::seconds).thenComparingInt(Due::client));
        for (int client = 0; client < clients; client++) {
            queue.add(new Due(0, client, 0));
        }
        double bucket = 0;
        double now = 0;
        int refused = 0;
        while (!queue.isEmpty()) {
            Due due = queue.remove();
            bucket = Math.min(LIMIT, bucket + (due.seconds() - now) * LIMIT);
            now = due.seconds();
            if (bucket > 0) {
                bucket -= ENTITIES;
            } else {
                refused++;
                double wait = policy.waitSeconds(due.retries(), random);
                if (wait >= 0) {
                    queue.add(new Due(now + wait, due.client(), due.retries() + 1));
                }
            }
        }
        return refused;
    }

    /** Empties the bucket of the strategy's partition, so that the clients meet one that is overloaded. */
    private static void overload(Endpoint endpoint, String table, RetryPolicy policy) throws IOException {
        RetryPolicy once = new RetryPolicy(policy.strategy(), 0, Z, Z_MIN, Z_MAX, 0.8, 1.2);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            if (ask(endpoint, table, once, OVERLOADING).refused() > 0) {
                return;
            }
        }
        throw new IOException(String.format(
                Locale.ROOT,
                "a partition that may take %d entities/s refused none of %d transactions of %d entities, sent %d at a time: the service is too"
                        + " slow for this lab, or its partitions are not throttled (throttle.partition-entities-per-second)",
                LIMIT,
                ROUNDS_MAX * OVERLOADING,
                ENTITIES,
                OVERLOADING));
    }

    /** All clients ask at the same moment, each until it is served or gives up. */
    private static Way ask(Endpoint endpoint, String table, RetryPolicy policy, int clients) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        CountDownLatch begin = new CountDownLatch(1);
        try {
            List<Future<List<Attempt>>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                Random random = new Random(i);
                all.add(threads.submit(() -> attempts(endpoint, table, policy, random, begin)));
            }
            begin.countDown();
            List<Attempt> attempts = new ArrayList<>();
            int served = 0;
            for (Future<List<Attempt>> each : all) {
                List<Attempt> its = each.get();
                attempts.addAll(its);
                served += its.get(its.size() - 1).isRefused() ? 0 : 1;
            }
            return new Way(policy, clients, served, attempts);
        } catch (ExecutionException failed) {
            throw new IOException("a client failed: " + failed.getCause(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while clients asked", interrupted);
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Attempt> attempts(
            Endpoint endpoint, String table, RetryPolicy policy, Random random, CountDownLatch begin)
            throws IOException, InterruptedException {
        List<Attempt> attempts = new ArrayList<>();
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            begin.await();
            long zero = System.nanoTime();
            double wait = 0;
            while (wait >= 0) {
                pause(wait);
                double seconds = (System.nanoTime() - zero) / 1e9;
                Answer answer = connection.exchange(request(new Requests(endpoint), table, policy));
                double answered = (System.nanoTime() - zero) / 1e9;
                if (!answer.isSuccess() && answer.status() != BUSY) {
                    throw new IOException("a transaction was answered with " + answer);
                }
                attempts.add(new Attempt(seconds, answered - seconds, answer.status() == BUSY));
                wait = answer.isSuccess() ? -1 : policy.waitSeconds(attempts.size() - 1, random);
            }
        }
        return attempts;
    }

    /** A transaction of upserts, which can be repeated without harm. Each strategy has a partition of its own. */
    private static Request request(Requests requests, String table, RetryPolicy policy) {
        String partition = policy.strategy().id();
        List<Request> parts = new ArrayList<>();
        for (int row = 0; row < ENTITIES; row++) {
            String rowKey = String.format(Locale.ROOT, "%04d", row);
            String json = "{\"PartitionKey\":\"" + partition + "\",\"RowKey\":\"" + rowKey + "\"}";
            parts.add(requests.part("PUT", requests.address(table, partition, rowKey), "", json));
        }
        return requests.transaction(parts);
    }

    private static void pause(double seconds) {
        Duration duration = Duration.ofNanos((long) (seconds * 1e9));
        Wait.until(() -> false, duration, duration);
    }
}
