package cleave.chaos.lab.faults;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabRun;
import cleave.chaos.operation.Bodies;
import cleave.chaos.picture.Chart;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.Cleave;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The disks of a server, of a master and of the DFS node are lost, one after the other: each loss costs something else. */
final class LostDiskLab implements Experiment {
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final int RANGES = 6;
    private static final int FOUND = 200;
    private static final int NOT_FOUND = 404;
    private static final String BEFORE = "before-";
    private static final String AFTER = "after-";
    private static final String DATA = "data";
    /** What a server logs about a DFS node that is not the one it knows. */
    private static final String ANOTHER_DISK = "has another disk, which is not used";

    /** What was there after a loss. Immutable. */
    private record Loss(String what, String mended, int acknowledged, int found) {
        List<String> row() {
            return List.of(
                    what,
                    mended,
                    Integer.toString(acknowledged),
                    Integer.toString(found),
                    Integer.toString(acknowledged - found));
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        Cluster cluster = run.cluster();
        FaultCluster faults = FaultCluster.on(cluster, RANGES);
        int count = run.of(48, 240);
        write(run.endpoint(), BEFORE, count);
        List<Loss> losses = new ArrayList<>();
        try (Clients clients = Clients.started(run, faults)) {
            run.progress("a server loses its disk");
            loseServer(faults);
            clients.writeEverywhere();
            losses.add(new Loss("a server", "started again", count, found(run.endpoint(), BEFORE, count)));
            run.progress("a master loses its disk");
            loseMaster(cluster);
            clients.writeEverywhere();
            losses.add(new Loss("a master", "replaced by itself", count, found(run.endpoint(), BEFORE, count)));
            clients.claimNothingWrong();
        }
        run.claim(
                "with the disk of a server or of a master, nothing is lost",
                losses.stream().allMatch(loss -> loss.found() == count),
                losses.get(0).found() + " and " + losses.get(1).found() + " of " + count + " entities");

        Path backups = folder(cluster).resolve("backups");
        cleave("backup", backups, cluster);
        write(run.endpoint(), AFTER, count);
        run.progress("the DFS node loses its disk");
        loseDfs(cluster);
        Answer answer = read(run.endpoint(), BEFORE);
        run.say("The DFS node starts with an empty folder. A server logs that the node at this address " + ANOTHER_DISK
                + ".");
        run.claim(
                "without the DFS node's disk nothing is served, and nothing is taken for empty",
                answer.status() != FOUND && answer.status() != NOT_FOUND,
                "a read is answered " + answer.status() + " " + answer.errorCode());
        cluster.all().stream().filter(ChildProcess::isAlive).forEach(ChildProcess::kill);
        losses.add(restored(run, cluster, backups, count));
        report(run, losses);
    }

    private static Path folder(Cluster cluster) {
        return Objects.requireNonNull(cluster.servers().get(0).folder().getParent());
    }

    private static void loseServer(FaultCluster faults) throws IOException {
        int index = faults.busiestServer();
        ChildProcess server = faults.cluster().servers().get(index);
        server.kill();
        faults.awaitTakenOver(index);
        wipe(server.folder().resolve(DATA));
        faults.restart(server);
    }

    /** As {@code cleave admin masters replace} does it. */
    private static void loseMaster(Cluster cluster) throws IOException {
        int follower = (cluster.leader() + 1) % cluster.masters().size();
        ChildProcess master = cluster.masters().get(follower);
        master.kill();
        wipe(master.folder().resolve(DATA));
        master.start();
        FaultCluster.PATIENCE.until(
                "it is blank", () -> master.readiness().missing().contains("blank"));
        String lost = cluster.member(follower);
        FaultCluster.PATIENCE.until("it is replaced", () -> cluster.changeMasters(lost, follower));
        cluster.awaitReady(FaultCluster.PATIENCE);
    }

    /** Returns when a server has met the node that is there now. */
    private static void loseDfs(Cluster cluster) throws IOException {
        ChildProcess node = cluster.dfsNodes().get(0);
        node.kill();
        wipe(node.folder().resolve(DATA));
        node.start();
        ChildProcess server = cluster.servers().get(0);
        FaultCluster.PATIENCE.until("a server refuses the new node", () -> server.hasLogged(ANOTHER_DISK));
    }

    /** A new cluster, with what the backup holds. */
    private static Loss restored(LabRun run, Cluster lost, Path backups, int count) throws IOException {
        run.progress("founding another cluster, and restoring the backup");
        ClusterPlan plan = ClusterPlan.in(folder(lost).resolve("restored"));
        try (Cluster cluster = Cluster.started(plan, FaultCluster.PATIENCE)) {
            cleave("restore", backups, cluster);
            Endpoint endpoint = cluster.endpoints().get(0);
            int before = found(endpoint, BEFORE, count);
            int after = found(endpoint, AFTER, count);
            run.claim(
                    "a backup has what was acknowledged before it began, and nothing else",
                    before == count && after == 0,
                    before + " of " + count + " from before it, " + after + " of " + count + " from after it");
            return new Loss("the DFS node", "a new cluster restored from the backup", 2 * count, before + after);
        }
    }

    private static void report(LabRun run, List<Loss> losses) {
        run.table(
                "Entities, after a disk was lost",
                List.of("disk of", "mended by", "acknowledged", "found", "missing"),
                losses.stream().map(Loss::row).toList());
        run.draw(Chart.bars(
                "Entities that are missing after a disk was lost",
                "entities",
                "the disk of",
                losses.stream().map(Loss::what).toList(),
                List.of(
                        Chart.values(
                                "acknowledged before the loss",
                                losses.stream()
                                        .map(loss -> (double) loss.acknowledged())
                                        .toList()),
                        Chart.values(
                                "missing afterwards",
                                losses.stream()
                                        .map(loss -> (double) loss.acknowledged() - loss.found())
                                        .toList()))));
    }

    private static String partition(int number) {
        return RecordingClients.partitionKey(number % FaultCluster.PARTITIONS);
    }

    private static String row(String prefix, int number) {
        return prefix + String.format(Locale.ROOT, "%04d", number);
    }

    private static void write(Endpoint endpoint, String prefix, int count) throws IOException {
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            Requests requests = new Requests(endpoint);
            for (int i = 0; i < count; i++) {
                String json = Bodies.of(partition(i), row(prefix, i), Map.of("A", Integer.toString(i)));
                Answer answer =
                        connection.exchange(requests.put(FaultCluster.TABLE, partition(i), row(prefix, i), "", json));
                if (!answer.isSuccess()) {
                    throw new IOException("entity " + row(prefix, i) + " was not written: " + answer);
                }
            }
        }
    }

    private static Answer read(Endpoint endpoint, String prefix) throws IOException {
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            return connection.exchange(new Requests(endpoint).get(FaultCluster.TABLE, partition(0), row(prefix, 0)));
        }
    }

    /** How many of these entities are read. */
    private static int found(Endpoint endpoint, String prefix, int count) throws IOException {
        int found = 0;
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            Requests requests = new Requests(endpoint);
            for (int i = 0; i < count; i++) {
                Answer answer = connection.exchange(requests.get(FaultCluster.TABLE, partition(i), row(prefix, i)));
                found += answer.status() == FOUND ? 1 : 0;
            }
        }
        return found;
    }

    private static void cleave(String command, Path backups, Cluster cluster) throws IOException {
        List<String> masters = new ArrayList<>();
        for (ChildProcess master : cluster.masters()) {
            masters.add(setting(master, "master.listen"));
        }
        StringWriter written = new StringWriter();
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(written, true));
        line.setErr(new PrintWriter(written, true));
        int status = line.execute(
                command,
                backups.toString(),
                "--masters",
                String.join(",", masters),
                "--dfs",
                setting(cluster.servers().get(0), "dfs"));
        if (status != 0) {
            throw new IOException("cleave " + command + " ended with status " + status + ": " + written);
        }
    }

    private static String setting(ChildProcess process, String key) throws IOException {
        Properties settings = new Properties();
        try (Reader in = Files.newBufferedReader(process.folder().resolve("config.properties"))) {
            settings.load(in);
        }
        return settings.getProperty(key);
    }

    private static void wipe(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
