package cleave.chaos.lab.faults;

import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Measurement;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.deploy.Cleave;
import cleave.runtime.files.FolderTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import picocli.CommandLine;

/** The disks of a server, of a master and of the DFS node are lost, one after the other: each loss costs something else. */
final class LostDiskLab implements Measurement {
    private static final int RANGES = 6;
    private static final String BEFORE = "before-";
    private static final String AFTER = "after-";
    private static final String DATA = "data";
    /** A server logs this about a DFS node that is not the one it knows. */
    private static final String ANOTHER_DISK = "has another disk, which is not used";

    /**
     * The measurements of this lab. Immutable.
     *
     * @param count the entities that were written before the losses, and as many after the backup
     * @param withoutServer how many of the former are found after the loss of a server's disk
     * @param withoutMaster the same after the loss of a master's disk
     * @param status of the answer to a read after the loss of the DFS node's disk
     * @param code of that answer
     * @param before how many entities from before the backup are found after it was restored
     * @param after how many from after it
     */
    record Seen(int count, int withoutServer, int withoutMaster, int status, String code, int before, int after) {}

    @Override
    public Seen of(LabRun run) throws IOException {
        Cluster cluster = run.cluster();
        FaultCluster faults = FaultCluster.on(cluster, RANGES);
        int count = run.of(48, 240);
        write(run.endpoint(), BEFORE, count);
        int withoutServer;
        int withoutMaster;
        try (Clients clients = Clients.started(run, faults)) {
            run.progress("a server loses its disk");
            loseServer(faults);
            clients.writeEverywhere();
            withoutServer = found(run.endpoint(), BEFORE);
            run.progress("a master loses its disk");
            loseMaster(cluster);
            clients.writeEverywhere();
            withoutMaster = found(run.endpoint(), BEFORE);
            clients.claimNothingWrong();
        }
        Path backups = folder(cluster).resolve("backups");
        cleave("backup", backups, cluster);
        write(run.endpoint(), AFTER, count);
        run.progress("the DFS node loses its disk");
        loseDfs(cluster);
        Answer answer = read(run.endpoint(), BEFORE);
        cluster.all().stream().filter(ChildProcess::isAlive).forEach(ChildProcess::kill);
        run.progress("founding another cluster, and restoring the backup");
        ClusterPlan plan = ClusterPlan.in(folder(cluster).resolve("restored"));
        try (Cluster another = Cluster.started(plan, FaultCluster.PATIENCE)) {
            cleave("restore", backups, another);
            Endpoint endpoint = another.endpoints().get(0);
            return new Seen(
                    count,
                    withoutServer,
                    withoutMaster,
                    answer.status(),
                    answer.errorCode(),
                    found(endpoint, BEFORE),
                    found(endpoint, AFTER));
        }
    }

    private static Path folder(Cluster cluster) {
        return Objects.requireNonNull(cluster.servers().get(0).folder().getParent());
    }

    private static void loseServer(FaultCluster faults) throws IOException {
        int index = faults.busiestServer();
        ChildProcess server = faults.cluster().servers().get(index);
        server.kill();
        faults.awaitTakenOver(index);
        FolderTree.delete(server.folder().resolve(DATA));
        faults.restart(server);
    }

    /** Replaces it as {@code cleave admin masters replace} does. */
    private static void loseMaster(Cluster cluster) throws IOException {
        int follower = (cluster.leader() + 1) % cluster.masters().size();
        ChildProcess master = cluster.masters().get(follower);
        master.kill();
        FolderTree.delete(master.folder().resolve(DATA));
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
        FolderTree.delete(node.folder().resolve(DATA));
        node.start();
        ChildProcess server = cluster.servers().get(0);
        FaultCluster.PATIENCE.until("a server refuses the new node", () -> server.hasLogged(ANOTHER_DISK));
    }

    private static String partition(int number) {
        return RecordingClients.partitionKey(number % FaultCluster.PARTITIONS);
    }

    private static String row(String prefix, int number) {
        return prefix + String.format(Locale.ROOT, "%04d", number);
    }

    private static void write(Endpoint endpoint, String prefix, int count) throws IOException {
        try (LabClient client = LabClient.open(endpoint)) {
            client.load(
                    FaultCluster.TABLE,
                    IntStream.range(0, count)
                            .mapToObj(i -> LabEntity.of(partition(i), row(prefix, i)))
                            .toList());
        }
    }

    private static Answer read(Endpoint endpoint, String prefix) throws IOException {
        try (LabClient client = LabClient.open(endpoint).once()) {
            return client.get(FaultCluster.TABLE, partition(0), row(prefix, 0), entity -> {});
        }
    }

    /** How many of these entities are found. */
    private static int found(Endpoint endpoint, String prefix) throws IOException {
        try (LabClient client = LabClient.open(endpoint)) {
            String filter = "RowKey ge '" + prefix + "' and RowKey lt '" + prefix + "a'";
            return client.query(FaultCluster.TABLE, filter).entities().size();
        }
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
}
