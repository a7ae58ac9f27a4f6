package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.FolderTree;
import cleave.server.dfs.FileTransfer;
import cleave.server.metrics.StoreFigures;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.RangeStores;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Stores on a real RocksDB, their checkpoints in a real DFS. */
class RocksRangeStoreIT extends DamagedFilesContract {
    @TempDir
    private Path folder;

    private Dfs dfs;
    private RocksRangeStores stores;

    @Override
    Dfs dfs() {
        return dfs;
    }

    @Override
    RangeStores stores() {
        return stores;
    }

    @Override
    long uploadedBefore() {
        return 1;
    }

    @Override
    void rot() {
        OnRocks.flip(OnRocks.sortedFile(folder.resolve("stores/store-" + opened.size())), 70_000);
    }

    @Override
    Manifest.Checkpoint damaged(StoredCheckpoint checkpoint) {
        Manifest.FileSet damaged = OnRocks.damaged(
                dfs, files, checkpoint.files(), largest(checkpoint.files()), bytes -> bytes[50_000] ^= 4);
        return new Manifest.Checkpoint(KeyRange.ALL, damaged);
    }

    @Override
    void forgetLocalFiles() throws IOException {
        FolderTree.deleteIfExists(folder.resolve("cached"));
        Files.createDirectory(folder.resolve("cached"));
    }

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        AtomicLong leaping = new AtomicLong(); // So the sizes of tables are measured each time.
        stores = new RocksRangeStores(
                folder.resolve("stores"),
                folder.resolve("cached"),
                new FileTransfer(asRead(dfs)),
                new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0),
                () -> leaping.addAndGet(RocksTableSizes.PERIOD_NANOS_MAX));
    }

    private RocksRangeStores stores(String name, RocksRangeStores.Sizes sizes) {
        return new RocksRangeStores(folder.resolve(name), folder.resolve("cached"), new FileTransfer(dfs), sizes);
    }

    @AfterEach
    void end() {
        opened.forEach(RangeStore::close);
        stores.close();
        dfs.close();
    }

    @Test
    void whatTheStoresHoldIsSummedUp() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 500, "v");
        store.checkpoint(files, 0).join();
        put(store, 500, 600, "v");

        StoreFigures now = stores.figures(3);

        assertThat(now.stores()).isEqualTo(1);
        assertThat(now.keys()).isBetween(500L, 700L);
        assertThat(now.fileBytes()).isPositive();
        assertThat(now.memtableBytes()).isPositive();
        assertThat(now.memtableLimitBytes()).isEqualTo(8 << 20);
        assertThat(now.blockCacheBytes()).isPositive();
        assertThat(now.blockCacheLimitBytes()).isEqualTo(16 << 20);
        assertThat(now.diskBytes()).isPositive();
        assertThat(now.stalled()).isZero();
        assertThat(now.scansWaiting()).isEqualTo(3);
    }

    @Test
    void closedStoresAreNotAskedForWhatTheyHold() {
        RocksRangeStores closed = stores("closed", new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0));
        closed.close();

        assertThat(closed.figures(0)).isEqualTo(StoreFigures.NONE);
    }

    @Test
    void whatWasUploadedBeforeIsNamedAgain() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 500, "v");
        StoredCheckpoint first = store.checkpoint(files, 0).join();
        put(store, 500, 600, "v");
        StoredCheckpoint second = store.checkpoint(files, 0).join();
        assertThat(first.files().localNames()).noneMatch(name -> name.startsWith("OPTIONS"));
        assertThat(sorted(second))
                .containsAll(sorted(first))
                .hasSizeGreaterThan(sorted(first).size());

        RangeStore copy = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, second.files()));
        put(copy, 600, 601, "v");
        StoredCheckpoint third = copy.checkpoint(files, 0).join();
        assertThat(sorted(third)).containsAll(sorted(second));
        assertThat(keys(open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, third.files())), KeyRange.ALL))
                .hasSize(601);
    }

    /** RocksDB's list of files grows with each flush and compaction. */
    @Test
    void allButTheEntitiesIsInlineHoweverLongAStoreLives() {
        RangeStore store = open(KeyRange.ALL);
        for (int i = 0; i < 60; i++) {
            put(store, 0, 10, "v" + i);
            store.compact(KeyRange.ALL).join();
            assertThat(store.checkpoint(files, 8 << 10).join().files().stored())
                    .as("after %s checkpoints", i + 1)
                    .allMatch(file -> file.localName().endsWith(".sst"));
        }
    }

    private static List<Manifest.File> sorted(StoredCheckpoint checkpoint) {
        return checkpoint.files().stored().stream()
                .filter(file -> file.localName().endsWith(".sst"))
                .toList();
    }

    /** A range that was split and rests would else be as long to take over as before. */
    @Test
    void filesThatHoldNothingOfTheIntervalAreLetGoOf() {
        RangeStore store = open(KeyRange.ALL);
        Random random = new Random(1);
        for (int i = 0; i < 600; i++) {
            byte[] entity = new byte[64 << 10];
            random.nextBytes(entity);
            store.apply(List.of(new Effect.Put(key(i), entity)), at(10));
        }
        KeyRange high = new KeyRange(Key.beforePartition(7, "p0400"), null);
        long before = 0;
        long after = 0;
        for (int tries = 0; tries < 20 && after >= before * 7 / 10; tries++) { // RocksDB sorts files in its own time.
            StoredCheckpoint whole = store.checkpoint(files, 0).join();
            RangeStore part = open(high, counting(high, whole));
            StoredCheckpoint own = part.checkpoint(files, 0).join();
            assertThat(keys(part, KeyRange.ALL)).hasSize(200);
            assertThat(part.position()).isEqualTo(at(10));
            before = bytes(whole);
            after = bytes(own);
        }
        assertThat(after).isLessThan(before * 7 / 10);
    }

    /** This matters with each takeover: bytes that are written for nothing are checkpointed, and fetched by the next owner, for nothing. */
    @Test
    void aStoreOfTheSameIntervalHasNothingToCheckpoint() {
        KeyRange high = new KeyRange(Key.beforePartition(7, "p0400"), Key.beforePartition(7, "p0500"));
        RangeStore store = open(high);
        put(store, 400, 500, "v");
        StoredCheckpoint first = store.checkpoint(files, 0).join();
        RangeStore again = open(high, counting(high, first));

        assertThat(sorted(again.checkpoint(files, 0).join())).isEqualTo(sorted(first));
    }

    @Test
    void whatIsWrittenOnceMoreToJoinCountsAsProgress() {
        Key at = Key.beforePartition(7, "p0050");
        KeyRange low = new KeyRange(Key.MIN, at);
        KeyRange high = new KeyRange(at, null);
        RangeStore whole = open(KeyRange.ALL);
        put(whole, 0, 100, "v");
        StoredCheckpoint checkpoint = whole.checkpoint(files, 0).join();
        open(KeyRange.ALL, counting(low, checkpoint), counting(high, checkpoint));
        int entity = key(0).bytes().length + "v50".length();
        assertThat(fetched).hasValue(2 * bytes(checkpoint) + 50L * entity);
    }

    private static long bytes(StoredCheckpoint checkpoint) {
        return checkpoint.files().bytes();
    }

    @Override
    void assertNoStores() throws IOException {
        assertThat(storeFolders()).isEmpty();
    }

    private List<RangeStore> openMany(int count, long writeBufferBytes) {
        opened.forEach(RangeStore::close);
        opened.clear();
        stores.close();
        stores = stores("many", new RocksRangeStores.Sizes(2 * writeBufferBytes, writeBufferBytes, 2, 0));
        List<RangeStore> many = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            many.add(open(KeyRange.ALL));
        }
        return many;
    }

    private int sortedFiles() throws IOException {
        int count = 0;
        for (Path store : storeFolders(folder.resolve("many"))) {
            count += sortedFiles(store).size();
        }
        return count;
    }

    /** Looks at names alone: RocksDB deletes compacted files while a test looks. */
    private static List<Path> sortedFiles(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("db"))) {
            return files.filter(path -> path.toString().endsWith(".sst")).toList();
        }
    }

    /** Files below this folder that the process has open. */
    private static long openBelow(Path folder, String suffix) throws IOException {
        long count = 0;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    Path target = Files.readSymbolicLink(descriptor);
                    count += target.startsWith(folder) && target.toString().endsWith(suffix) ? 1 : 0;
                } catch (NoSuchFileException closedMeanwhile) {
                    // It is the listing's own.
                }
            }
        }
        return count;
    }

    /** Each entity is flushed to a separate file, and since their keys ascend, no compaction makes fewer of them. */
    private void flushOften(RangeStore store, int flushes) {
        for (int i = 0; i < flushes; i++) {
            put(store, i, i + 1, "v");
            store.checkpoint(files, 0).join();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void manyFilesOfManyStoresTakeNoMoreDescriptorsThanTheirShare() throws IOException {
        long limit = 1024;
        stores.close();
        stores = stores("many", new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0, limit));
        RangeStore first = open(KeyRange.ALL);
        flushOften(first, 80);
        assertThat(keys(first, KeyRange.ALL)).as("of all files").hasSize(80);
        long before = openBelow(folder.resolve("many"), ".sst");
        assertThat(sortedFiles()).as("files").isGreaterThan(80);
        List<RangeStore> all = new ArrayList<>(List.of(first));
        for (int i = 1; i < 32; i++) {
            all.add(open(KeyRange.ALL));
        }
        for (RangeStore each : all.subList(1, 4)) {
            flushOften(each, 20);
        }
        for (int i = 0; i < 20; i++) {
            for (RangeStore each : all.subList(0, 4)) {
                assertThat(text(each, i)).isEqualTo("v" + i);
            }
        }
        assertThat(before).as("open while it is alone").isLessThanOrEqualTo(64);
        assertThat(openBelow(folder.resolve("many/store-1"), ".sst")).isLessThanOrEqualTo(16);
        assertThat(openBelow(folder.resolve("many"), ""))
                .as("three quarters of the limit")
                .isLessThanOrEqualTo(limit / 4 * 3);
        assertThatThrownBy(() -> open(KeyRange.ALL))
                .hasRootCauseInstanceOf(StoreException.class)
                .hasRootCauseMessage("the limit of 1024 open files is reached with 32 stores: raise it (ulimit -n,"
                        + " LimitNOFILE) or add servers");
        all.get(5).close();
        open(KeyRange.ALL);
    }

    private long sortedBytes() throws IOException {
        long bytes = 0;
        for (Path store : storeFolders(folder.resolve("many"))) {
            for (Path file : sortedFiles(store)) {
                bytes += file.toFile().length(); // Zero of one that is gone.
            }
        }
        return bytes;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void evenWritesToManyStoresStayWithinTheirBounds() throws Exception {
        int count = 200;
        long buffers = 16 << 20;
        stores.close();
        stores = stores("many", new RocksRangeStores.Sizes(2 * buffers, buffers, 2, 0, 8192));
        List<RangeStore> many = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            many.add(open(KeyRange.ALL));
        }
        Random random = new Random(1);
        byte[] entity = new byte[1024];
        int each = 200;
        for (int i = 0; i < each; i++) {
            for (RangeStore store : many) {
                random.nextBytes(entity);
                store.apply(List.of(new Effect.Put(key(i), entity.clone())), at(10L * (i + 1)));
            }
        }
        long notInMemory = (long) each * count * entity.length - buffers - count * (16L << 10);
        for (int i = 0; i < 600 && sortedBytes() < notInMemory; i++) {
            Thread.sleep(100); // For the flushes in progress.
        }
        assertThat(sortedBytes())
                .as("what is not in write buffers, nor waits for them, is in files")
                .isGreaterThanOrEqualTo(notInMemory);
        assertThat(sortedFiles()).as("files").isLessThanOrEqualTo(10 * count);
        assertThat(openBelow(folder.resolve("many"), "")).as("descriptors").isLessThanOrEqualTo(24L * count);
    }

    @Test
    void aProcessThatMayOpenTooFewFilesDoesNotStart() {
        assertThatThrownBy(() -> stores("few", new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0, 1000)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("the process may open 1000 files, but a server needs at least 1024")
                .hasMessageContaining("ulimit -n");
        assertThat(folder.resolve("few")).doesNotExist();
    }

    @Test
    void littleInManyStoresIsFlushedByNone() throws IOException {
        List<RangeStore> many = openMany(200, 128 << 20);
        byte[] entity = new byte[1024];
        for (int i = 0; i < 18; i++) {
            for (RangeStore each : many) {
                each.apply(List.of(new Effect.Put(key(i), entity)), at(10L * (i + 1)));
            }
        }
        assertThat(sortedFiles()).as("3.6 MiB in write buffers of 128 MiB").isZero();
    }

    @Test
    void aStoreThatIsWrittenIsNotFlushedInDropletsBesideOthersThatHoldTheMemory() throws Exception {
        long buffers = 16 << 20;
        List<RangeStore> many = openMany(100, buffers);
        byte[] entity = new byte[1024];
        for (int i = 0; i < 150; i++) {
            for (RangeStore each : many) {
                each.apply(List.of(new Effect.Put(key(i), entity)), at(10L * (i + 1)));
            }
            awaitFlushes();
        }
        for (int i = 0; i < 4000; i++) {
            many.get(0).apply(List.of(new Effect.Put(key(i), entity)), at(10L * (200 + i)));
            if (i % 100 == 0) {
                awaitFlushes();
            }
        }
        assertThat(sortedFiles(folder.resolve("many/store-1")))
                .extracting(
                        path -> Integer.parseInt(path.getFileName().toString().substring(0, 6)))
                .as("files are numbered as they are made; RocksDB alone flushes 4 MiB in 28 droplets")
                .allMatch(number -> number < 40);
    }

    /** RocksDB flushes by itself only writes that come while the flushing thread gets no processor. */
    private void awaitFlushes() throws InterruptedException {
        for (int i = 0; stores.awaitsFlush(); i++) {
            assertThat(i).as("hundredths of seconds waited for flushes").isLessThan(30_000);
            Thread.sleep(10);
        }
    }

    @Test
    void whatNoServerMadeIsNotWiped() throws IOException {
        Path shared = Files.createDirectories(folder.resolve("shared/stores"));
        Files.writeString(shared.resolve("thesis.txt"), "text");
        assertThatThrownBy(() -> stores("shared/stores", new RocksRangeStores.Sizes(1, 1, 1, 0)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("thesis.txt")
                .hasMessageContaining("server.dir");
        assertThat(shared.resolve("thesis.txt")).exists();
    }

    private List<Path> storeFolders() throws IOException {
        return storeFolders(folder.resolve("stores"));
    }

    private static List<Path> storeFolders(Path of) throws IOException {
        try (Stream<Path> left = Files.list(of)) {
            return left.filter(path -> path.getFileName().toString().startsWith("store-"))
                    .toList();
        }
    }

    @Test
    void aClosedStoreLeavesNothingBehindOnceTheFolderIsWiped() throws Exception {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        store.close();
        stores.close();
        stores = stores("stores", new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0));
        assertThat(storeFolders()).isEmpty();
    }
}
