package cleave.chaos.lab.faults;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.history.Change;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All masters are down: what is assigned is served, and nothing is assigned anew. */
final class WithoutMastersLab implements Experiment {
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int RANGES = 6;
    private static final int CREATED = 204;

    /** What clients did in a part of the run. Immutable. */
    private record Part(String name, long from, long until) {
        double seconds() {
            return (until - from) / NANOS_PER_SECOND;
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        Cluster cluster = run.cluster();
        FaultCluster faults = FaultCluster.on(cluster, RANGES);
        int rounds = run.of(10, 40);
        try (Clients clients = Clients.started(run, faults)) {
            Part before = part("with masters", rounds, clients);
            run.progress("killing all masters");
            cluster.masters().forEach(ChildProcess::kill);
            long killed = System.nanoTime();
            ErrorCode split = split(cluster);
            int created = createTable(run);
            Part during = new Part(
                    "without masters",
                    killed,
                    part("without masters", rounds, clients).until());
            run.progress("starting them again");
            cluster.masters().forEach(ChildProcess::start);
            cluster.awaitReady(FaultCluster.PATIENCE);
            FaultCluster.PATIENCE.until("the range is split", () -> split(cluster) == ErrorCode.OK);
            Part starting = new Part("while they start", during.until(), System.nanoTime());
            Part after = part("with masters again", rounds, clients);
            int createdAfter = createTable(run);
            clients.stop();
            report(run, clients, List.of(before, during, starting, after));
            claim(run, clients, during);
            run.claim("meanwhile no range is split", split != ErrorCode.OK, split.toString());
            run.claim("and no table is created", created != CREATED, Integer.toString(created));
            run.claim(
                    "when the masters are back, both succeed",
                    createdAfter == CREATED && cluster.admin().ranges().size() > RANGES,
                    createdAfter + ", and " + cluster.admin().ranges().size() + " ranges");
            clients.claimNothingWrong();
        }
    }

    /** Lasts until each range has taken this number of writes, one after the other. */
    private static Part part(String name, int rounds, Clients clients) {
        long from = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            clients.writeEverywhere();
        }
        return new Part(name, from, System.nanoTime());
    }

    private static ErrorCode split(Cluster cluster) {
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount(Endpoint.DEVELOPMENT_ACCOUNT)
                .setTable(FaultCluster.TABLE)
                .addPartitionKeys(RecordingClients.partitionKey(1))
                .build();
        return cluster.admin().askOnce(stub -> stub.split(request)).getCode();
    }

    private static int createTable(LabRun run) throws IOException {
        try (Connection connection = Connection.open(run.endpoint(), REQUEST)) {
            return connection
                    .exchange(new Requests(run.endpoint()).createTable(run.table("New")))
                    .status();
        }
    }

    private static boolean isWrite(Operation operation) {
        return operation instanceof Change && operation.outcome() == Outcome.DONE;
    }

    private static boolean isFailed(Operation operation) {
        return operation.outcome() == Outcome.UNKNOWN || operation.outcome() == Outcome.NOT_EXECUTED;
    }

    private static void report(LabRun run, Clients clients, List<Part> parts) {
        List<List<String>> rows = new ArrayList<>();
        List<Series> series = new ArrayList<>();
        long from = parts.get(0).from();
        for (Part part : parts) {
            List<Operation> operations = clients.begunBetween(part.from(), part.until());
            rows.add(List.of(
                    part.name(),
                    Integer.toString(operations.size()),
                    Long.toString(operations.stream()
                            .filter(WithoutMastersLab::isWrite)
                            .count()),
                    Long.toString(operations.stream()
                            .filter(WithoutMastersLab::isFailed)
                            .count())));
            series.add(rate(part, from, operations));
        }
        run.table(
                "Operations of the clients",
                List.of("when they began", "operations", "writes acknowledged", "failed or unknown"),
                rows);
        run.draw(Chart.lines("Writes acknowledged, while all masters are down", "writes/s", "seconds", series));
    }

    /** In twelve pieces of equal length. */
    private static Series rate(Part part, long from, List<Operation> operations) {
        int pieces = 12;
        double seconds = part.seconds() / pieces;
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < pieces; i++) {
            double begin = (part.from() - from) / NANOS_PER_SECOND + i * seconds;
            x.add(begin + seconds / 2);
            y.add(operations.stream()
                            .filter(WithoutMastersLab::isWrite)
                            .mapToDouble(operation -> (operation.call().invoked() - from) / NANOS_PER_SECOND)
                            .filter(second -> second >= begin && second < begin + seconds)
                            .count()
                    / seconds);
        }
        return new Series(part.name(), x, y);
    }

    private static void claim(LabRun run, Clients clients, Part during) {
        List<Operation> operations = clients.begunBetween(during.from(), during.until());
        Stream<Operation> failed = operations.stream().filter(WithoutMastersLab::isFailed);
        long writes = operations.stream().filter(WithoutMastersLab::isWrite).count();
        run.claim(
                "without masters no read and no write fails",
                writes > 0 && failed.findAny().isEmpty(),
                operations.size() + " operations, " + writes + " writes acknowledged");
    }
}
