package cleave.chaos.lab.faults;

import cleave.chaos.fault.DirectOwner;
import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.Measurement;
import cleave.chaos.picture.MessageDiagram;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.bugs.Bug;
import cleave.client.Answer;
import cleave.client.RetryingClient;
import cleave.deploy.role.Logs;
import cleave.model.Key;
import cleave.runtime.rpc.Channels;
import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Route;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** The log is the lock: a server that slept through its own replacement has no effect when it wakes. */
final class ZombieLab implements Measurement {
    private static final String ROW = "zombie";
    private static final String OLD = "of the old owner";
    private static final String NEW = "of the new owner";

    /** How many requests had which answer. Immutable. */
    record Answers(String when, Map<ErrorCode, Integer> writes, Map<ErrorCode, Integer> reads) {
        static Answers of(String when, List<ErrorCode> writes, List<ErrorCode> reads) {
            return new Answers(when, counted(writes), counted(reads));
        }

        private static Map<ErrorCode, Integer> counted(List<ErrorCode> codes) {
            Map<ErrorCode, Integer> counts = new TreeMap<>();
            codes.forEach(code -> counts.merge(code, 1, Integer::sum));
            return counts;
        }

        int acknowledged() {
            return writes.getOrDefault(ErrorCode.OK, 0);
        }

        int served() {
            return reads.getOrDefault(ErrorCode.OK, 0);
        }

        int all() {
            return writes.values().stream().mapToInt(Integer::intValue).sum()
                    + reads.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** How a story of the simulator ended. Immutable. */
    record Told(String story, Bug bug, int findings) {}

    /**
     * The measurements of this lab. Immutable.
     *
     * @param stored which owner's value the entity has in the end
     * @param diagram of the first story
     */
    record Seen(List<Answers> answers, String stored, List<Told> stories, MessageDiagram diagram) {}

    @Override
    public Seen of(LabRun run) throws IOException {
        Cluster cluster = run.cluster();
        FaultCluster faults = FaultCluster.on(cluster, 6);
        int each = run.of(4, 20);
        try (Clients clients = Clients.started(run, faults);
                LabClient client = LabClient.open(run.endpoint());
                Channels channels = new Channels()) {
            int server = faults.busiestServer();
            int partition = faults.partitionsOf(server).get(0);
            RangeRow row = faults.rowOf(partition);
            String partitionKey = RecordingClients.partitionKey(partition);
            Key key = Key.of(faults.tableId(), partitionKey, ROW);
            Route route = Route.newBuilder()
                    .setRange(row.getId())
                    .setEpoch(row.getEpoch())
                    .build();
            DirectOwner owner = new DirectOwner(channels, cluster.serverAddress(server), route, key);
            Answers before =
                    Answers.of("before it was paused", times(each, () -> owner.write(OLD)), times(each, owner::read));

            ChildProcess paused = cluster.servers().get(server);
            run.progress("pausing " + paused.name() + " and cutting it off from the masters");
            cluster.cutFromMasters(server);
            paused.pause();
            faults.awaitTakenOver(server);
            put(client, partitionKey);
            Answers waking = sentToPaused(each, owner, paused);
            Answers awake =
                    Answers.of("sent after it woke up", times(each, () -> owner.write(OLD)), times(each, owner::read));
            String entity = get(client, partitionKey);
            cluster.healToMasters(server);
            paused.awaitReady(FaultCluster.PATIENCE);
            clients.writeEverywhere();
            clients.claimNothingWrong();
            return new Seen(List.of(before, waking, awake), entity.contains(NEW) ? NEW : entity, stories(), diagram());
        }
    }

    private static List<ErrorCode> times(int count, Supplier<ErrorCode> request) {
        List<ErrorCode> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(request.get());
        }
        return answers;
    }

    /** Each request has a thread, since none is answered before the server is resumed. */
    private static Answers sentToPaused(int each, DirectOwner owner, ChildProcess paused) {
        ExecutorService senders = Executors.newFixedThreadPool(2 * each);
        try {
            CountDownLatch begun = new CountDownLatch(2 * each);
            List<CompletableFuture<ErrorCode>> writes = new ArrayList<>();
            List<CompletableFuture<ErrorCode>> reads = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                writes.add(CompletableFuture.supplyAsync(telling(begun, () -> owner.write(OLD)), senders));
                reads.add(CompletableFuture.supplyAsync(telling(begun, owner::read), senders));
            }
            await(begun);
            paused.resume();
            return Answers.of("sent while it was paused", answered(writes), answered(reads));
        } finally {
            senders.shutdown();
        }
    }

    /** Counts down right before the request. */
    private static Supplier<ErrorCode> telling(CountDownLatch begun, Supplier<ErrorCode> request) {
        return () -> {
            begun.countDown();
            return request.get();
        };
    }

    private static void await(CountDownLatch begun) {
        try {
            begun.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while requests were sent", interrupted);
        }
    }

    private static List<ErrorCode> answered(List<CompletableFuture<ErrorCode>> answers) {
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /** Overwrites the entity, by the front end and therefore at the new owner. */
    private static void put(LabClient client, String partition) throws IOException {
        LabEntity entity = LabEntity.of(partition, ROW).with("A", NEW);
        Answer answer = client.tryWrite(FaultCluster.TABLE, new LabWrite("PUT", entity, ""));
        RetryingClient.expect("a write of the new owner", answer);
    }

    private static String get(LabClient client, String partition) throws IOException {
        return client.get(FaultCluster.TABLE, partition, ROW, entity -> {}).text();
    }

    private static MessageDiagram diagram() {
        Scenario story = Scenario.named("zombie-write");
        return Stories.diagram(story, Bug.NONE, story.play(1, Bug.NONE));
    }

    /** Plays the same in the simulator, with the rule and without it. */
    private static List<Told> stories() {
        List<Told> stories = new ArrayList<>();
        Logs.Silence silence = Logs.silence(); // Cores complain when a rule is missing, as they should.
        try {
            for (Scenario story : List.of(Scenario.named("zombie-write"), Scenario.named("zombie-read"))) {
                for (Bug bug : List.of(Bug.NONE, story.bugs().get(0))) {
                    stories.add(new Told(
                            story.id(), bug, story.play(1, bug).findings().size()));
                }
            }
        } finally {
            silence.close();
        }
        return stories;
    }
}
