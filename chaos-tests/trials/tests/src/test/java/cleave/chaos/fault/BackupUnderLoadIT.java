package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.CheckResult;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.operation.Bodies;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.system.Folders;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.Cleave;
import cleave.runtime.files.FolderTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * A cluster is backed up under load while its ranges are split and a server is killed; then everything is wiped and restored. What was
 * acknowledged before the backup began must be there, and each partition must be as it once was.
 */
@Tag("nightly")
class BackupUnderLoadIT {
    private static final int RANGES = 4;
    private static final int CLIENTS = 2;
    private static final int PACE = 300;
    private static final int ENOUGH = 20;
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final Pattern COUNT = Pattern.compile("\"Count\":\"(\\d+)\"");

    private final Path folder = Folders.fresh("backup");
    private String said = "";

    private ClusterPlan plan(String name, int servers) {
        return ClusterPlan.in(folder.resolve(name)).servers(servers).set("server.checkpoint-log-bytes", "4KiB");
    }

    private int cleave(String command, Cluster cluster) {
        StringWriter written = new StringWriter();
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(written, true));
        line.setErr(new PrintWriter(written, true));
        int status = line.execute(
                command,
                folder.resolve("backups").toString(),
                "--masters",
                setting(cluster.masters().get(0).folder(), "master.listen"),
                "--dfs",
                setting(cluster.servers().get(0).folder(), "dfs"));
        said = written.toString();
        return status;
    }

    private static String setting(Path node, String key) {
        Properties settings = new Properties();
        try (Reader in = Files.newBufferedReader(node.resolve("config.properties"))) {
            settings.load(in);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return settings.getProperty(key);
    }

    /** Counts in two entities of one partition: the second follows the first. Confined to its thread, but for what is volatile. */
    private static final class Counter implements Runnable {
        private final Endpoint endpoint;
        private final String partition;
        private volatile int tried;
        private volatile int acknowledged;
        private volatile boolean stopped;

        Counter(Endpoint endpoint, String partition) {
            this.endpoint = endpoint;
            this.partition = partition;
        }

        @Override
        public void run() {
            for (int next = 1; !stopped; next++) {
                tried = next;
                if (write("first", next) && write("second", next)) {
                    acknowledged = next;
                }
            }
        }

        /** Repeats until it is answered; false if it was stopped before. */
        private boolean write(String row, int count) {
            while (!stopped) {
                String json = Bodies.of(partition, row, Map.of("Count", Integer.toString(count)));
                try (Connection connection = Connection.open(endpoint, REQUEST)) {
                    Requests requests = new Requests(endpoint);
                    if (connection
                                    .exchange(requests.put(FaultCluster.TABLE, partition, row, "", json))
                                    .status()
                            == 204) {
                        return true;
                    }
                } catch (IOException broken) {
                    // Asked again.
                }
            }
            return false;
        }
    }

    private static int count(Endpoint endpoint, String partition, String row) throws IOException {
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            Answer answer = connection.exchange(new Requests(endpoint).get(FaultCluster.TABLE, partition, row));
            Matcher count = COUNT.matcher(answer.text());
            assertThat(count.find()).as("%s of %s: %s", row, partition, answer).isTrue();
            return Integer.parseInt(count.group(1));
        }
    }

    @Test
    void whatWasAcknowledgedBeforeIsRestoredAndEachPartitionIsAsItWas() throws Exception {
        List<Counter> counters = new ArrayList<>();
        List<Integer> before = new ArrayList<>();
        try (FaultCluster faults = FaultCluster.started(plan("first", 3), RANGES)) {
            Cluster cluster = faults.cluster();
            RecordingClients workload = faults.workload(CLIENTS);
            workload.pace(PACE);
            workload.start();
            List<Thread> threads = new ArrayList<>();
            for (int partition = 0; partition < FaultCluster.PARTITIONS; partition += 3) {
                counters.add(new Counter(cluster.endpoints().get(0), RecordingClients.partitionKey(partition)));
                threads.add(new Thread(counters.get(counters.size() - 1), "counter-" + partition));
            }
            threads.forEach(Thread::start);
            FaultCluster.PATIENCE.until(
                    "all count", () -> counters.stream().allMatch(counter -> counter.acknowledged > ENOUGH));

            counters.forEach(counter -> before.add(counter.acknowledged));
            CompletableFuture<Integer> backup = CompletableFuture.supplyAsync(() -> cleave("backup", cluster));
            cluster.servers().get(0).kill();
            cluster.split(
                    Endpoint.DEVELOPMENT_ACCOUNT,
                    FaultCluster.TABLE,
                    List.of(
                            RecordingClients.partitionKey(1),
                            RecordingClients.partitionKey(8),
                            RecordingClients.partitionKey(20)));
            assertThat(backup.get()).as(() -> said).isZero();

            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
            counters.forEach(counter -> counter.stopped = true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertRight(workload.stop());
        }
        FolderTree.delete(folder.resolve("first"));

        try (Cluster cluster = Cluster.started(plan("second", 2), FaultCluster.PATIENCE)) {
            assertThat(cleave("restore", cluster)).as(() -> said).isZero();
            Endpoint endpoint = cluster.endpoints().get(0);
            for (int i = 0; i < counters.size(); i++) {
                Counter counter = counters.get(i);
                int first = count(endpoint, counter.partition, "first");
                int second = count(endpoint, counter.partition, "second");
                assertThat(first).isBetween(before.get(i), counter.tried);
                assertThat(second)
                        .as("behind %s in %s", first, counter.partition)
                        .isBetween(first - 1, first);
            }
            RecordingClients after = new RecordingClients(
                    cluster.endpoints(), FaultCluster.TABLE, FaultCluster.PARTITIONS, CLIENTS, "after-restore.");
            after.pace(PACE);
            after.start();
            after.awaitWritesEverywhere(FaultCluster.PATIENCE);
            assertRight(after.stop());
        }
    }

    private static void assertRight(History history) {
        CheckResult result = HistoryChecker.check(history);
        assertThat(result.violations()).isEmpty();
        assertThat(result.undecided()).isEmpty();
    }
}
