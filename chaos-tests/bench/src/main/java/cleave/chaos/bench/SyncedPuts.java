package cleave.chaos.bench;

import cleave.chaos.load.run.Clients;
import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.process.Consumption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.CompressionType;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * RocksDB alone in this process, with some threads that put an entity under ever new keys and have each put synced: no store on it writes for less. Confined to its
 * owner.
 */
final class SyncedPuts implements AutoCloseable {
    private static final byte[] ENTITY = bytes(Entities.whole(new EntityKey("p000042", "r000042"), 42, 500));
    private static final double MICROS = 1e6;

    private final int writers;
    private final Options options;
    private final WriteOptions synced;
    private final RocksDB store;
    private final AtomicLong next = new AtomicLong();
    private final List<Measured> measured = new ArrayList<>();

    /** One measurement. Immutable. */
    private record Measured(double rate, double micros) {}

    /** @param folder of its files, which is made */
    SyncedPuts(Path folder, int writers) throws IOException {
        this.writers = writers;
        NativeLibraryLoader.getInstance()
                .loadLibrary(Files.createDirectories(folder).toString());
        RocksDB.loadLibrary();
        options = new Options().setCreateIfMissing(true).setCompressionType(CompressionType.LZ4_COMPRESSION);
        synced = new WriteOptions().setSync(true);
        try {
            store = RocksDB.open(options, folder.toString());
        } catch (RocksDBException failed) {
            synced.close();
            options.close();
            throw new IOException("RocksDB cannot be opened in " + folder, failed);
        }
    }

    /** Puts until this time has passed. */
    void measure(Duration length) throws IOException {
        List<Long> self = List.of(ProcessHandle.current().pid());
        Consumption before = Consumption.isKnown() ? Consumption.of(self) : Consumption.NONE;
        ConcurrentLinkedQueue<RocksDBException> failures = new ConcurrentLinkedQueue<>();
        long first = next.get();
        long begin = System.nanoTime();
        Clients clients = Clients.started(writers, "put", number -> {
            try {
                put(begin + length.toNanos());
            } catch (RocksDBException failed) {
                failures.add(failed);
            }
        });
        clients.join();
        RocksDBException failure = failures.peek();
        if (failure != null) {
            throw new IOException("RocksDB does not write", failure);
        }
        long puts = next.get() - first;
        double seconds = (clients.nowOrEnd() - begin) / 1e9;
        double processor =
                Consumption.isKnown() ? Consumption.of(self).minus(before).processor() : Double.NaN;
        measured.add(new Measured(puts / seconds, processor * MICROS / puts));
    }

    private void put(long endNanos) throws RocksDBException {
        while (System.nanoTime() - endNanos < 0) {
            long item = next.getAndIncrement();
            store.put(synced, bytes("p" + item % 100 + '\0' + "r" + item), ENTITY);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The median of the measurements, by their rates, in Markdown. */
    String table() {
        List<Measured> sorted = measured.stream()
                .sorted((one, other) -> Double.compare(one.rate(), other.rate()))
                .toList();
        Measured middle = sorted.get(sorted.size() / 2);
        return String.format(
                Locale.ROOT,
                "| alone in a process | operations a second | CPU µs an operation |%n|---|---|---|%n"
                        + "| RocksDB, %d writers, each put synced | %,.0f | %s |%n",
                writers,
                middle.rate(),
                Double.isNaN(middle.micros()) ? "–" : String.format(Locale.ROOT, "%,.0f", middle.micros()));
    }

    @Override
    public void close() {
        store.close();
        synced.close();
        options.close();
    }
}
