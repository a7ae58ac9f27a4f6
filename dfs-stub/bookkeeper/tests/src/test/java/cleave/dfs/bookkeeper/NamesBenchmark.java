package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.TestPorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.LedgerMetadataBuilder;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.meta.LedgerMetadataSerDe;
import org.apache.bookkeeper.net.BookieId;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures how many names one ZooKeeper holds, in a separate process: each with the metadata of its ledger, as BookKeeper keeps them. Not
 * part of any run: docs/benchmarks.md says how it is called, and what it showed.
 */
final class NamesBenchmark {
    private static final long COUNT = Long.getLong("names.count", 20_000);
    private static final String HEAP = System.getProperty("names.heap", "4g");
    private static final long FILES_PER_RANGE = 20;
    private static final int WINDOW = 256;
    private static final int CHUNK = 10_000;
    private static final String LEDGERS = "/ledgers";
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    @TempDir
    static Path folder;

    private final int port = TestPorts.free();
    private final ThreadLoop timers = new ThreadLoop("timers", fault -> {});
    private final Retries retries = BookKeeperDfs.retries(timers, PATIENCE_NANOS);
    private @Nullable Process server;
    private @Nullable ZooKeeper zooKeeper;

    private static String path(long file) {
        return "ranges/" + file / FILES_PER_RANGE + ".0/123456-server-17.12345-checkpoint-" + file;
    }

    /** The metadata as BookKeeper's client writes it. */
    private static byte[] metadata(long file) throws IOException {
        return new LedgerMetadataSerDe()
                .serialize(LedgerMetadataBuilder.create()
                        .withId(file)
                        .withMetadataFormatVersion(LedgerMetadataSerDe.CURRENT_METADATA_FORMAT_VERSION)
                        .withPassword("cleave".getBytes(StandardCharsets.US_ASCII))
                        .withDigestType(DigestType.CRC32C)
                        .withEnsembleSize(3)
                        .withWriteQuorumSize(3)
                        .withAckQuorumSize(2)
                        .newEnsembleEntry(
                                0L,
                                Stream.of("bookie-1", "bookie-2", "bookie-3")
                                        .map(BookieId::parse)
                                        .toList())
                        .withClosedState()
                        .withLastEntryId(15)
                        .withLength(16 << 20)
                        .withCustomMetadata(Map.of(
                                "cleave-root",
                                "/cleave".getBytes(StandardCharsets.UTF_8),
                                "cleave-path",
                                path(file).getBytes(StandardCharsets.UTF_8)))
                        .withCreationTime(1_800_000_000_000L)
                        .storingCreationTime(true)
                        .build());
    }

    // ---- the server ----

    private Path data() {
        return folder.resolve("zookeeper");
    }

    private void start() throws IOException, InterruptedException {
        Path settings = folder.resolve("zoo.cfg");
        Files.write(
                settings,
                List.of(
                        "tickTime=2000",
                        "dataDir=" + data(),
                        "clientPort=" + port,
                        "clientPortAddress=127.0.0.1",
                        "admin.enableServer=false",
                        "4lw.commands.whitelist=mntr"));
        server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + HEAP,
                        "-XX:+UseParallelGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("zookeeper.log").toFile())
                .start();
    }

    private void stop() throws InterruptedException {
        Process running = Objects.requireNonNull(server);
        running.destroy();
        assertThat(running.waitFor(2, TimeUnit.MINUTES)).isTrue();
    }

    private ZooKeeper client() {
        return Objects.requireNonNull(zooKeeper);
    }

    private Names names() {
        return new Names(new ZooKeeperNodes(client()), new NameTree("/cleave"), LEDGERS, timers);
    }

    private void untilItAnswers() {
        get(retries.run("look", () -> names().look(path(0))));
    }

    private static String statistics(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Live objects, after a collection. */
    private String heap() throws IOException, InterruptedException {
        Process command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        String.valueOf(Objects.requireNonNull(server).pid()),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String total = "";
        try (Stream<String> lines =
                new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()) {
            total = lines.filter(line -> line.startsWith("Total")).findFirst().orElse("unknown");
        }
        command.waitFor();
        return total.replaceAll(" +", " ");
    }

    private String snapshots() throws IOException {
        try (Stream<Path> files = Files.list(data().resolve("version-2"))) {
            long largest = files.filter(file -> file.getFileName().toString().startsWith("snapshot"))
                    .mapToLong(file -> file.toFile().length())
                    .max()
                    .orElse(0);
            return largest / (1 << 20) + " MiB";
        }
    }

    // ---- the work ----

    private CompletableFuture<Void> transaction(List<Op> operations) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        client().multi(
                        operations,
                        (code, node, context, results) -> {
                            if (code == 0 || code == Code.NODEEXISTS.intValue()) {
                                done.complete(null);
                            } else {
                                done.completeExceptionally(new IOException(Code.get(code) + " of " + operations));
                            }
                        },
                        null);
        return done;
    }

    private CompletableFuture<Void> make(String node, byte[] data) {
        return transaction(List.of(Op.create(node, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
    }

    private void makeParents(long ledger) {
        String node = Ledgers.node(LEDGERS, ledger);
        for (int slash = node.indexOf('/', 1); slash > 0; slash = node.indexOf('/', slash + 1)) {
            get(make(node.substring(0, slash), new byte[0]));
        }
    }

    private CompletableFuture<Void> create(long file) {
        byte[] data;
        try {
            data = metadata(file);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return retries.run(
                "create",
                () -> make(Ledgers.node(LEDGERS, file), data)
                        .thenCompose(done -> Failures.recover(
                                names().create(path(file), Name.written(file)),
                                failure -> Failures.is(failure, Reason.EXISTS),
                                () -> CompletableFuture.completedFuture(null))));
    }

    private CompletableFuture<Void> delete(long file) {
        Name name = new Name(Name.Kind.WRITTEN, file, 0);
        return retries.run("bury", () -> names().bury(path(file), name, Name.Kind.DELETED))
                .thenCompose(done -> transaction(List.of(Op.delete(Ledgers.node(LEDGERS, file), -1))));
    }

    private static void inChunks(long from, long until, LongFunction<CompletableFuture<Void>> each) {
        for (long chunk = from; chunk < until; chunk += CHUNK) {
            List<Long> files = LongStream.range(chunk, Math.min(chunk + CHUNK, until))
                    .boxed()
                    .toList();
            get(Windowed.map(files, WINDOW, each::apply));
        }
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static double seconds(Step step) throws Exception {
        long begun = System.nanoTime();
        step.run();
        return (System.nanoTime() - begun) / 1e9;
    }

    @Test
    void manyNamesInOneZooKeeper() throws Exception {
        List<String> report = new ArrayList<>();
        report.add(COUNT + " names with their ledgers, heap of " + HEAP);
        start();
        zooKeeper = new ZooKeeper("127.0.0.1:" + port, 30_000, event -> {});
        try {
            untilItAnswers();
            for (long ledger = 0; ledger < COUNT; ledger += CHUNK) {
                makeParents(ledger);
            }
            double created = seconds(() -> inChunks(0, COUNT, this::create));
            report.add("created in " + rate(created, COUNT));
            report.add("heap: " + heap());
            report.add(statistics(port)
                    .lines()
                    .filter(line -> line.contains("znode_count") || line.contains("data_size"))
                    .toList()
                    .toString());
            listed(report);
            stop();
            start();
            report.add(String.format("restart until the first answer: %.1f s", seconds(this::untilItAnswers)));
            report.add("snapshot: " + snapshots() + ", heap after it: " + heap());
            long deleted = Math.min(COUNT, 200_000);
            report.add("deleted in " + rate(seconds(() -> inChunks(0, deleted, this::delete)), deleted));
            swept(report, deleted);
            assertThat(get(names().list(path(deleted / 2), retries))).isEmpty();
        } finally {
            Files.createDirectories(Path.of("target"));
            Files.write(Path.of("target", "names-benchmark.txt"), report);
            report.forEach(System.out::println);
            client().close();
            stop();
            timers.close();
        }
    }

    private static String rate(double seconds, long count) {
        return String.format("%.0f s, %.0f a second", seconds, count / seconds);
    }

    private void listed(List<String> report) throws Exception {
        String range = path(COUNT / 2).substring(0, path(COUNT / 2).lastIndexOf('/') + 1);
        report.add(String.format(
                "list of a range's files: %.1f s",
                seconds(() -> assertThat(get(names().list(range, retries))).hasSize((int) FILES_PER_RANGE))));
        report.add(String.format(
                "list of all: %.1f s",
                seconds(() -> assertThat(get(names().list("ranges/", retries))).hasSize((int) COUNT))));
        report.add(String.format(
                "count of all: %.1f s",
                seconds(() -> assertThat(get(names().buckets(retries)).stream()
                                .mapToLong(Names.Bucket::names)
                                .sum())
                        .isEqualTo(COUNT))));
    }

    /** Deletes the tombstones as a sweep does when they are over. */
    private void swept(List<String> report, long deleted) throws Exception {
        double swept = seconds(() -> {
            for (Names.Bucket bucket : get(names().bucketsOfDeleted(retries))) {
                List<String> paths = get(names().pathsIn(bucket, retries));
                get(Windowed.map(
                        paths,
                        WINDOW,
                        path -> retries.run(
                                "sweep",
                                () -> names().tombstone(path)
                                        .thenCompose(found -> names().forget(path, found.name())))));
            }
        });
        report.add("tombstones swept in " + rate(swept, deleted));
    }
}
