package cleave.chaos.lab.faults;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.history.Change;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Measurement;
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

/** All masters are down: what is assigned is served, and nothing is assigned anew. */
final class WithoutMastersLab implements Measurement {
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int RANGES = 6;

    /** A part of the run, and the operations that clients began in it. Immutable. */
    record Part(String name, long from, long until, List<Operation> begun) {
        double seconds() {
            return (until - from) / NANOS_PER_SECOND;
        }

        int operations() {
            return begun.size();
        }

        long writes() {
            return begun.stream().filter(WithoutMastersLab::isWrite).count();
        }

        long failed() {
            return begun.stream().filter(WithoutMastersLab::isFailed).count();
        }
    }

    /**
     * The measurements of this lab. Immutable.
     *
     * @param rates writes that were acknowledged, each second, by part
     * @param split the answer to a split without masters
     * @param created the status of the answer to the creation of a table without masters
     * @param createdAfter the same with masters again
     */
    record Seen(List<Part> parts, List<Series> rates, ErrorCode split, int created, int createdAfter, int ranges) {}

    @Override
    public Seen of(LabRun run) throws IOException {
        Cluster cluster = run.cluster();
        FaultCluster faults = FaultCluster.on(cluster, RANGES);
        int rounds = run.of(10, 40);
        try (Clients clients = Clients.started(run, faults)) {
            long begun = System.nanoTime();
            write(rounds, clients);
            run.progress("killing all masters");
            cluster.masters().forEach(ChildProcess::kill);
            long killed = System.nanoTime();
            ErrorCode split = split(cluster);
            int created = createTable(run);
            write(rounds, clients);
            long starting = System.nanoTime();
            run.progress("starting them again");
            cluster.masters().forEach(ChildProcess::start);
            cluster.awaitReady(FaultCluster.PATIENCE);
            FaultCluster.PATIENCE.until("the range is split", () -> split(cluster) == ErrorCode.OK);
            long started = System.nanoTime();
            write(rounds, clients);
            long ended = System.nanoTime();
            int createdAfter = createTable(run);
            List<Part> parts = List.of(
                    part("with masters", begun, killed, clients),
                    part("without masters", killed, starting, clients),
                    part("while they start", starting, started, clients),
                    part("with masters again", started, ended, clients));
            List<Series> rates = parts.stream().map(part -> rate(part, begun)).toList();
            clients.claimNothingWrong();
            int ranges = cluster.admin().ranges().size();
            return new Seen(parts, rates, split, created, createdAfter, ranges);
        }
    }

    private static Part part(String name, long from, long until, Clients clients) {
        return new Part(name, from, until, clients.begunBetween(from, until));
    }

    /** Returns when each range has taken this number of writes, one after the other. */
    private static void write(int rounds, Clients clients) {
        for (int round = 0; round < rounds; round++) {
            clients.writeEverywhere();
        }
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

    /** The rate of writes, in twelve pieces of equal length. */
    private static Series rate(Part part, long from) {
        int pieces = 12;
        double seconds = part.seconds() / pieces;
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < pieces; i++) {
            double begin = (part.from() - from) / NANOS_PER_SECOND + i * seconds;
            x.add(begin + seconds / 2);
            y.add(part.begun().stream()
                            .filter(WithoutMastersLab::isWrite)
                            .mapToDouble(operation -> (operation.call().invoked() - from) / NANOS_PER_SECOND)
                            .filter(second -> second >= begin && second < begin + seconds)
                            .count()
                    / seconds);
        }
        return new Series(part.name(), x, y);
    }
}
