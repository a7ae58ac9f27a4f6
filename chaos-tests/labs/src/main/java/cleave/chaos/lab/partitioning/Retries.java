package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabSystem;
import cleave.chaos.picture.Chart;
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
final class Retries implements Experiment {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BUSY = 503;
    private static final int LIMIT = LabSystem.PARTITION_ENTITIES_PER_SECOND;
    /** That each request writes: a partition takes two such requests a second. */
    private static final int ENTITIES = 100;
    /** By so much all waits are shorter than the documentation's. */
    private static final double SCALE = 100;

    private static final double Z = 30 / SCALE;
    private static final double Z_MIN = 3 / SCALE;
    private static final double Z_MAX = 90 / SCALE;
    private static final int RETRIES_MAX = 100;

    /** To overload a partition, this number of requests is sent at a time, for at most {@link #ROUNDS_MAX} rounds. */
    private static final int OVERLOADING = 4;

    private static final int ROUNDS_MAX = 20;

    /** If answers take longer on average, they decide when clients come back, and the strategy does not. */
    private static final double ANSWER_SECONDS_MAX = Z / 3;

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

    /** What came of one strategy. Immutable. */
    record Seen(RetryPolicy policy, int clients, int served, List<Attempt> attempts) {
        /** Of the mean answer. */
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

    @Override
    public void run(LabRun run) throws IOException {
        imagine(run);
        int clients = run.of(8, 24);
        List<Seen> seen = new ArrayList<>();
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Throttled");
            for (RetryPolicy policy : POLICIES) {
                run.progress(policy.toString());
                overload(run.endpoint(), table, policy);
                seen.add(ask(run.endpoint(), table, policy, clients));
            }
        }
        report(run, seen, clients);
        claims(run, seen, clients);
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

    private static void imagine(LabRun run) {
        List<Series> series = new ArrayList<>();
        for (RetryPolicy policy : POLICIES.subList(1, POLICIES.size())) {
            Map<Integer, Integer> slots = slots(policy, 0);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            int last = Collections.max(slots.keySet());
            for (int slot = 0; slot <= last + 1; slot++) {
                x.add(slot / SLOTS_OF_Z);
                y.add((double) slots.getOrDefault(slot, 0));
            }
            series.add(new Series(policy.strategy().id(), x, y));
        }
        run.say("First without a service: " + IMAGINED
                + " clients are refused at the same moment, and at each of their " + IMAGINED_RETRIES
                + " retries. Time is counted in z, the default wait, which is 30 s in the documentation.");
        run.draw(Chart.lines(
                "Retries of " + IMAGINED + " clients that were refused together",
                "retries in a tenth of z",
                "z",
                series));
        Map<Integer, Integer> fixed = slots(POLICIES.get(1), 0);
        run.claim(
                "fixed: the clients come back together at every retry",
                fixed.size() == IMAGINED_RETRIES && fixed.values().stream().allMatch(count -> count == IMAGINED),
                fixed.size() + " slots of time with " + IMAGINED + " each");
        Map<Integer, Integer> spread = slots(POLICIES.get(2), 1);
        int most = Collections.max(spread.values());
        run.claim(
                "exponential: from the second retry on, no more than a third of them come back together",
                spread.size() > 3 * IMAGINED_RETRIES && 3 * most <= IMAGINED,
                spread.size() + " slots, with " + most + " at most");
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
    private static Seen ask(Endpoint endpoint, String table, RetryPolicy policy, int clients) throws IOException {
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
            return new Seen(policy, clients, served, attempts);
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

    static void report(LabRun run, List<Seen> seen, int clients) {
        run.say(String.format(
                Locale.ROOT,
                "Then with the service, whose partitions take 200 entities a second: each of %d clients wants to write 100 entities, at the same"
                        + " moment, to a partition that has just been overloaded. All waits are a hundredth of the documentation's: z %.1f s,"
                        + " zmin %.2f s, zmax %.1f s. The model has the same clients and the same bucket, empty at first, and requests that take no time.",
                clients,
                Z,
                Z_MIN,
                Z_MAX));
        run.table(
                "Until every client is served or has given up",
                List.of(
                        "strategy",
                        "clients",
                        "served",
                        "requests",
                        "refused with 503",
                        "refused in a model",
                        "last attempt"),
                seen.stream()
                        .map(each -> List.of(
                                each.policy().strategy().id(),
                                Integer.toString(each.clients()),
                                Integer.toString(each.served()),
                                Integer.toString(each.attempts().size()),
                                Long.toString(each.refused()),
                                Integer.toString(modelled(each.policy(), clients)),
                                String.format(Locale.ROOT, "%.1f s", each.seconds())))
                        .toList());
        if (!isTooSlow(seen)) {
            draw(
                    run,
                    "Requests of " + clients + " clients that ask at the same moment",
                    seen.stream().map(each -> (double) each.served()).toList(),
                    seen.stream().map(each -> (double) each.refused()).toList());
            return;
        }
        run.say(String.format(
                Locale.ROOT,
                "This machine was too slow: an answer took %.2f s on average, and a client waits for %.1f s. So the figures of the service show how"
                        + " long answers take, and not what the strategies do. Only the model is drawn and claimed; run the lab again when"
                        + " the machine has less to do.",
                slowest(seen),
                Z));
        List<Double> refused = POLICIES.stream()
                .map(policy -> (double) modelled(policy, clients))
                .toList();
        draw(
                run,
                "In the model: requests of " + clients + " clients that ask at the same moment",
                List.of(clients - refused.get(0), (double) clients, (double) clients),
                refused);
    }

    private static void draw(LabRun run, String title, List<Double> served, List<Double> refused) {
        run.draw(Chart.bars(
                title,
                "requests",
                "strategy",
                POLICIES.stream().map(policy -> policy.strategy().id()).toList(),
                List.of(Chart.values("served", served), Chart.values("refused with 503", refused))));
    }

    /** The mean answer to clients that retry, by the strategy whose answers took longer. */
    private static double slowest(List<Seen> seen) {
        return seen.stream().skip(1).mapToDouble(Seen::answerSeconds).max().orElse(0);
    }

    private static boolean isTooSlow(List<Seen> seen) {
        return slowest(seen) > ANSWER_SECONDS_MAX;
    }

    static void claims(LabRun run, List<Seen> seen, int clients) {
        Seen none = seen.get(0);
        Seen fixed = seen.get(1);
        Seen exponential = seen.get(2);
        run.claim(
                "without retries, one request each, and those that were refused are not served",
                none.attempts().size() == clients && none.refused() == clients - none.served() && none.refused() > 0,
                none.served() + " of " + clients + " served");
        run.claim(
                "with either strategy all are served in the end",
                fixed.served() == clients && exponential.served() == clients,
                fixed.served() + " and " + exponential.served());
        int inVain = modelled(fixed.policy(), clients);
        int fewer = modelled(exponential.policy(), clients);
        run.claim(
                "in the model, exponential retries send fewer requests in vain than fixed ones",
                fewer < inVain,
                fewer + " against " + inVain + " refused");
        if (!isTooSlow(seen)) {
            run.claim(
                    "so they do with the service",
                    exponential.refused() < fixed.refused(),
                    String.format(
                            Locale.ROOT,
                            "%,d against %,d refused, and an answer took at most %.3f s on average",
                            exponential.refused(),
                            fixed.refused(),
                            slowest(seen)));
        }
    }
}
