package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.dfs.FileTransfer;
import cleave.server.dfs.FileTransfer.Upload;
import cleave.server.outside.RangeStore;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import com.sun.management.OperatingSystemMXBean;
import io.prometheus.client.CollectorRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What it costs to verify what a checkpoint uploads: processor time and time of writing and flushing some entities, of uploading their
 * files as they are, and of uploading and verifying them, in turns. To be run by hand: {@code ChecksumMeasurement [MiB] [rounds]}.
 */
public final class ChecksumMeasurement {
    private static final int ENTITY_BYTES = 1_000;
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final List<Double> cpu = new ArrayList<>();
    private final List<Double> time = new ArrayList<>();

    private interface Work {
        void run() throws Exception;
    }

    private void measure(Work work) throws Exception {
        long cpuBefore = PROCESS.getProcessCpuTime();
        long before = System.nanoTime();
        work.run();
        time.add((System.nanoTime() - before) / 1e6);
        cpu.add((PROCESS.getProcessCpuTime() - cpuBefore) / 1e6);
    }

    private String text(double mib) {
        return String.format(Locale.ROOT, "%.2f ms CPU a MiB, %.2f ms a MiB", median(cpu) / mib, median(time) / mib);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    public static void main(String[] arguments) throws Exception {
        int mib = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 11;
        Path folder = Files.createTempDirectory("checksum-measurement");
        ChecksumMeasurement writing = new ChecksumMeasurement();
        ChecksumMeasurement uploading = new ChecksumMeasurement();
        ChecksumMeasurement verifying = new ChecksumMeasurement();
        double bytes = 0;
        try (Dfs dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
                RocksRangeStores stores = new RocksRangeStores(
                        folder.resolve("stores"),
                        new FileTransfer(dfs),
                        new RocksRangeStores.Sizes(64 << 20, 64 << 20, 2, 0));
                RocksShared shared =
                        new RocksShared(folder.resolve("native"), 1 << 20, 1 << 20, new OpenFiles(4_096))) {
            FileTransfer transfer = new FileTransfer(dfs);
            for (int round = 0; round < rounds; round++) {
                RangeStore store =
                        stores.open(KeyRange.ALL, List.of(), more -> {}).join();
                int number = round;
                writing.measure(() -> write(store, number, mib));
                List<Upload> plain = uploads(folder, "plain-" + round);
                List<Upload> verified = uploads(folder, "verified-" + round);
                bytes = 0;
                for (Upload each : plain) {
                    bytes += Files.size(each.local());
                }
                if (round % 2 == 0) {
                    uploading.measure(() -> transfer.upload(plain, (local, sent) -> {}));
                }
                verifying.measure(() -> transfer.upload(verified, (local, sent) -> shared.verify(local)));
                if (round % 2 != 0) {
                    uploading.measure(() -> transfer.upload(plain, (local, sent) -> {}));
                }
                store.close();
                for (Upload each : plain) {
                    dfs.delete(each.path()).join();
                }
                for (Upload each : verified) {
                    dfs.delete(each.path()).join();
                }
            }
        }
        Folders.delete(folder);
        System.out.printf("%s rounds of %.0f MiB, medians%n", rounds, bytes / (1 << 20));
        System.out.println("write, flush, compact: " + writing.text(bytes / (1 << 20)));
        System.out.println("upload:                " + uploading.text(bytes / (1 << 20)));
        System.out.println("upload and verify:     " + verifying.text(bytes / (1 << 20)));
    }

    private static void write(RangeStore store, int round, int mib) {
        Random random = new Random(round);
        for (long i = 0; i < (long) mib * (1 << 20) / ENTITY_BYTES; i++) {
            byte[] entity = new byte[ENTITY_BYTES];
            random.nextBytes(entity);
            store.apply(
                    List.of(new Effect.Put(Key.of(7, "p" + random.nextInt(), "r"), entity)),
                    new LogPosition("ranges/17.0/42-s1.9-log-1", i, i));
        }
        store.compact(KeyRange.ALL).join();
    }

    private static List<Upload> uploads(Path folder, String name) throws Exception {
        try (Stream<Path> all = Files.walk(folder.resolve("stores"))) {
            List<Upload> uploads = new ArrayList<>();
            for (Path each :
                    all.filter(file -> file.toString().endsWith(".sst")).toList()) {
                uploads.add(new Upload(each, "ranges/17.0/42-s1.9-" + name + "-" + uploads.size()));
            }
            return uploads;
        }
    }
}
