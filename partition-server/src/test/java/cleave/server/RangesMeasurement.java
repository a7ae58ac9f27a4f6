package cleave.server;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.settings.Settings;
import cleave.server.dfs.FileTransfer;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.policy.AnswerOrder;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.settings.RangeSettings;
import cleave.server.settings.ScrubSettings;
import cleave.server.store.ReaderPool;
import cleave.server.store.RocksRangeStores;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures what it costs a server to have many ranges: the same writes, spread evenly over few and over many, each in a process of its
 * own, one after the other. On RocksDB and the embedded DFS with its real fsync. To be run by hand: {@code RangesMeasurement [few]
 * [many] [writes] [rounds] [clients of few] [clients of many]}. Processor time is without that of the compiler.
 */
public final class RangesMeasurement {
    private static final int CLIENTS = 1_000;
    private static final int VALUE_CHARACTERS = 1_000;
    private static final String MARK = "figures: ";
    private static final List<String> FIGURES = List.of(
            "writes/s", "CPU us/write", "writes/append", "sorted files", "descriptors", "resident MiB", "disk MiB");

    private final List<Range> ranges;
    private final long writes;
    private final AtomicLong begun = new AtomicLong();
    private final int clients;
    private final CountDownLatch ended;

    private RangesMeasurement(List<Range> ranges, int clients, long writes) {
        this.ranges = ranges;
        this.clients = clients;
        this.writes = writes;
        this.ended = new CountDownLatch(clients);
    }

    public static void main(String[] arguments) throws Exception {
        int few = argument(arguments, 0, 20);
        int many = argument(arguments, 1, 200);
        int writes = argument(arguments, 2, 400_000);
        int rounds = argument(arguments, 3, 3);
        int[] clients = {argument(arguments, 4, CLIENTS), argument(arguments, 5, CLIENTS)};
        if (rounds == 0) {
            one(few, clients[0], writes);
            return;
        }
        double[][] sums = new double[2][FIGURES.size()];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 2; i++) {
                double[] figures = inProcess(i == 0 ? few : many, clients[i], writes);
                for (int figure = 0; figure < figures.length; figure++) {
                    sums[i][figure] += figures[figure] / rounds;
                }
            }
        }
        System.out.printf(Locale.ROOT, "%-14s %10d %10d      ratio%n", "ranges", few, many);
        System.out.printf(Locale.ROOT, "%-14s %10d %10d%n", "clients", clients[0], clients[1]);
        for (int figure = 0; figure < FIGURES.size(); figure++) {
            double before = sums[0][figure];
            double after = sums[1][figure];
            System.out.printf(
                    Locale.ROOT, "%-14s %10.1f %10.1f %10.2f%n", FIGURES.get(figure), before, after, after / before);
        }
    }

    private static int argument(String[] arguments, int at, int otherwise) {
        return arguments.length > at ? Integer.parseInt(arguments[at]) : otherwise;
    }

    private static double[] inProcess(int count, int clients, int writes) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(RangesMeasurement.class.getName(), "" + count, "0", "" + writes, "0", "" + clients));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String last = "";
        try (var lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(MARK)) {
                    last = line.substring(MARK.length());
                } else if (line.contains("us/write")) {
                    System.out.println(line);
                }
            }
        }
        if (process.waitFor() != 0) {
            throw new IllegalStateException("failed: " + command);
        }
        System.out.println(count + " ranges: " + last);
        return Arrays.stream(last.split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    private static Key bound(int number) {
        return Key.beforePartition(7, "p%05d".formatted(number));
    }

    private static void one(int count, int clients, long writes) throws Exception {
        Path folder = Files.createTempDirectory("ranges-measurement");
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        FakeMasters masters = new FakeMasters();
        masters.rows.clear();
        for (int i = 0; i < count; i++) {
            KeyRange interval = new KeyRange(i == 0 ? Key.MIN : bound(i), i == count - 1 ? null : bound(i + 1));
            masters.rows.put(Row.id(1, i), new Row(Row.id(1, i), interval, null, null, 1, 1));
        }
        try (Dfs dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
                ThreadLoop loop = new ThreadLoop("server", Throwable::printStackTrace);
                ThreadLoop rangeLoop = new ThreadLoop("ranges", Throwable::printStackTrace);
                ReaderPool readers = new ReaderPool(1);
                RocksRangeStores stores = new RocksRangeStores(
                        folder.resolve("stores"),
                        new FileTransfer(dfs),
                        new RocksRangeStores.Sizes(256 << 20, 128 << 20, 4, 0))) {
            ServerCore core = ServerCore.of(
                    loop,
                    new Membership.Self(
                            "s1", 200_000_000, 8, RangeSettings.from(new Settings(Map.of())), ScrubSettings.OFF),
                    new Membership.Outside(
                            dfs,
                            masters,
                            WriteMeasurement.NOBODY,
                            stores,
                            readers,
                            metrics,
                            List.of(rangeLoop),
                            AnswerOrder.OF_THE_LOG));
            Directory directory = core.directory();
            ClusterFile.found(dfs, new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1"))
                    .join();
            core.membership().start("nowhere:1");
            while (directory.size() < count) {
                LockSupport.parkNanos(1_000_000);
            }
            List<Range> ranges = new ArrayList<>();
            directory.all().forEach(ranges::add);
            new RangesMeasurement(ranges, clients, writes / 2).run(); // Warms up.
            double appends = metrics.appends.get();
            Map<String, Long> threads = threadMillis();
            long cpu = cpuNanos();
            long clock = System.nanoTime();
            new RangesMeasurement(ranges, clients, writes).run();
            double seconds = (System.nanoTime() - clock) / 1e9;
            cpu = cpuNanos() - cpu;
            for (Map.Entry<String, Long> thread : threadMillis().entrySet()) {
                long millis = thread.getValue() - threads.getOrDefault(thread.getKey(), 0L);
                if (thread.getKey().contains("Compiler")) {
                    cpu -= millis * 1_000_000;
                } else if (millis >= seconds * 5) {
                    System.out.printf(Locale.ROOT, "%8.2f us/write in %s%n", millis * 1e3 / writes, thread.getKey());
                }
            }
            List<Double> figures = List.of(
                    writes / seconds,
                    cpu / 1e3 / writes,
                    writes / (metrics.appends.get() - appends),
                    (double) files(folder.resolve("stores"), ".sst").size(),
                    (double) descriptors(),
                    residentKib() / 1024.0,
                    bytes(files(folder.resolve("stores"), "")) / 1048576.0);
            System.out.println(figures.stream() // Behind a mark, for the log goes there too.
                    .map(figure -> String.format(Locale.ROOT, "%.2f", figure))
                    .collect(Collectors.joining(" ", MARK, "")));
            core.membership().stop();
            CountDownLatch stopped = new CountDownLatch(1);
            loop.submit(() -> rangeLoop.submit(stopped::countDown));
            stopped.await();
        } finally {
            List<Path> left = files(folder, "");
            left.sort(Comparator.reverseOrder());
            for (Path each : left) {
                Files.deleteIfExists(each);
            }
        }
        System.exit(0);
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Processor time of the threads that live, by what they are called without their numbers. */
    private static Map<String, Long> threadMillis() throws IOException {
        Map<String, Long> millis = new TreeMap<>();
        List<Path> tasks;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
            tasks = all.toList();
        }
        for (Path task : tasks) {
            String line = Files.readString(task.resolve("stat"));
            String name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
            List<String> fields =
                    List.of(line.substring(line.lastIndexOf(')') + 2).split(" ", -1));
            millis.merge(
                    name.replaceAll("[0-9-]+$", ""),
                    10 * (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))),
                    Long::sum);
        }
        return millis;
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            return new ArrayList<>(walk.filter(path -> path.toString().endsWith(suffix))
                    .filter(path -> !path.toString().contains("/checkpoint/"))
                    .toList());
        }
    }

    private static long bytes(List<Path> files) throws IOException {
        long bytes = 0;
        for (Path file : files) {
            bytes += file.toFile().length();
        }
        return bytes;
    }

    private static int descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.count();
        }
    }

    private static long residentKib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    private void run() throws InterruptedException {
        Random random = new Random(1);
        for (int i = 0; i < clients; i++) {
            next(new Random(random.nextLong()));
        }
        ended.await();
    }

    private void next(Random random) {
        if (begun.incrementAndGet() > writes) {
            ended.countDown();
            return;
        }
        Range range = ranges.get(random.nextInt(ranges.size()));
        Route route = Route.newBuilder()
                .setRange(range.ownership().range())
                .setEpoch(range.ownership().epoch())
                .build();
        int number = Integer.parseInt(partition(range));
        Key key = Key.of(7, "p%05d".formatted(number), "row" + random.nextInt(10_000_000));
        ByteString entity = UnsafeByteOperations.unsafeWrap(
                EntityCodec.encode(new Entity(0, List.of(new Property("V", EdmType.STRING, text(random))))));
        WriteRequest request = WriteRequest.newBuilder()
                .setRoute(route)
                .addOperations(WriteOperation.newBuilder()
                        .setKind(WriteKind.INSERT_OR_REPLACE)
                        .setKey(key.toWire())
                        .setEntity(entity))
                .build();
        range.requests().write(request, reply -> next(random));
    }

    /** The first range begins below all partitions. */
    private static String partition(Range range) {
        Key start = range.ownership().interval().start();
        return start.equals(Key.MIN) ? "0" : start.partitionKey().substring(1);
    }

    /** Half of it can be compressed away. */
    private static String text(Random random) {
        byte[] bytes = new byte[VALUE_CHARACTERS];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ('a' + (i % 2 == 0 ? random.nextInt(16) : 0));
        }
        return new String(bytes, java.nio.charset.StandardCharsets.US_ASCII);
    }
}
