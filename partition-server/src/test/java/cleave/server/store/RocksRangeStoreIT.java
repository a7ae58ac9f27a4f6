package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Stores on a real RocksDB, their checkpoints in a real DFS. */
class RocksRangeStoreIT {
    @TempDir
    private Path folder;

    private Dfs dfs;
    private RocksRangeStores stores;
    private RangeFiles files;
    private final List<RangeStore> opened = new ArrayList<>();

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        stores = new RocksRangeStores(
                folder.resolve("stores"), new FileTransfer(dfs), new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0));
        files = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong());
    }

    @AfterEach
    void end() {
        opened.forEach(RangeStore::close);
        stores.close();
        dfs.close();
    }

    private RangeStore open(KeyRange interval, Manifest.Checkpoint... checkpoints) {
        RangeStore store = stores.open(interval, List.of(checkpoints)).join();
        opened.add(store);
        return store;
    }

    private static Manifest.Checkpoint counting(KeyRange interval, StoredCheckpoint checkpoint) {
        return new Manifest.Checkpoint(interval, checkpoint.files());
    }

    private static Key key(int number) {
        return Key.of(7, "p%04d".formatted(number), "r");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static LogPosition at(long offset) {
        return new LogPosition("ranges/17.0/42-s1.9-log-1", offset, offset / 10 + 1);
    }

    private static void put(RangeStore store, int from, int until, String value) {
        for (int i = from; i < until; i++) {
            store.apply(List.of(new Effect.Put(key(i), bytes(value + i))), at(10L * (i + 1)));
        }
    }

    private static @Nullable String text(RangeStore store, int number) {
        byte[] entity = store.get(key(number));
        return entity == null ? null : new String(entity, StandardCharsets.UTF_8);
    }

    private static List<Key> keys(RangeStore store, KeyRange interval) {
        List<Key> keys = new ArrayList<>();
        try (EntityCursor cursor = store.cursor(interval)) {
            for (; cursor.valid(); cursor.next()) {
                keys.add(Key.wrap(cursor.key()));
            }
        }
        return keys;
    }

    @Test
    void effectsAndPositionAreAppliedTogether() {
        RangeStore store = open(KeyRange.ALL);
        assertThat(store.position()).isNull();
        store.apply(List.of(new Effect.Put(key(1), bytes("a")), new Effect.Put(key(2), bytes("b"))), at(10));
        store.apply(List.of(new Effect.Delete(key(1))), at(20));
        assertThat(text(store, 1)).isNull();
        assertThat(text(store, 2)).isEqualTo("b");
        assertThat(store.position()).isEqualTo(at(20));
        assertThat(store.size().join().bytes()).isPositive();
    }

    private static RangeStore atWork(RangeStore store, long offset, Effect... effects) {
        store.apply(List.of(effects), at(offset));
        return store;
    }

    /** However little was applied before: a store need not give it to RocksDB at once. */
    @Test
    void everyCallSeesWhatWasAppliedBeforeIt() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 4, "v");
        atWork(store, 50, new Effect.Put(key(1), bytes("new")), new Effect.Delete(key(2)));
        assertThat(text(store, 1)).isEqualTo("new");
        assertThat(text(store, 2)).isNull();
        assertThat(text(store, 3)).isEqualTo("v3");
        assertThat(store.position()).isEqualTo(at(50));
        assertThat(keys(store, KeyRange.ALL)).containsExactly(key(0), key(1), key(3));

        atWork(store, 60, new Effect.Delete(key(1)), new Effect.Put(key(2), bytes("again")));
        assertThat(text(store, 1)).isNull();
        StoredCheckpoint checkpoint = store.checkpoint(files).join();
        assertThat(checkpoint.position()).isEqualTo(at(60));
        RangeStore elsewhere = open(KeyRange.ALL, counting(KeyRange.ALL, checkpoint));
        assertThat(keys(elsewhere, KeyRange.ALL)).containsExactly(key(0), key(2), key(3));

        atWork(store, 70, new Effect.Put(key(8), bytes("dropped")));
        atWork(store, 80, new Effect.DropTable(7));
        assertThat(text(store, 8)).isNull();
        assertThat(store.position()).isEqualTo(at(80));
        atWork(store, 90, new Effect.Put(key(9), bytes("x".repeat(70_000))));
        assertThat(store.size().join().bytes()).isPositive();
        assertThat(keys(store, KeyRange.ALL)).containsExactly(key(9));
    }

    /** What is waiting holds what is old: a large record goes past it to RocksDB. */
    @Test
    void aLargeRecordReplacesWhatWaits() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 2, "v");
        String large = "y".repeat(70_000);
        atWork(store, 30, new Effect.Put(key(0), bytes(large)), new Effect.Delete(key(1)));
        assertThat(text(store, 0)).isEqualTo(large);
        assertThat(text(store, 1)).isNull();
        put(store, 3, 200, "v");
        assertThat(text(store, 199)).isEqualTo("v199");
        assertThat(keys(store, KeyRange.ALL)).hasSize(198);
    }

    @Test
    void aCursorSeesTheInstantItWasMadeEvenWhenTheStoreIsClosed() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        try (EntityCursor cursor = store.cursor(new KeyRange(key(2), key(8)))) {
            store.apply(List.of(new Effect.Delete(key(3)), new Effect.Put(key(100), bytes("x"))), at(200));
            store.close();
            int count = 0;
            for (; cursor.valid(); cursor.next()) {
                count++;
            }
            assertThat(count).isEqualTo(6);
        }
    }

    @Test
    void aDropDeletesTheTablesKeysWithinTheInterval() {
        RangeStore store = open(new KeyRange(Key.beforeTable(6), null));
        put(store, 0, 5, "v");
        store.apply(List.of(new Effect.Put(Key.of(-1, "last", "r"), bytes("z"))), at(60));
        store.apply(List.of(new Effect.DropTable(7)), at(70));
        assertThat(keys(store, KeyRange.ALL)).containsExactly(Key.of(-1, "last", "r"));
        store.apply(List.of(new Effect.DropTable(-1), new Effect.DropTable(3)), at(80));
        assertThat(keys(store, KeyRange.ALL)).isEmpty();
    }

    @Test
    void aCheckpointOpensElsewhereWithItsPosition() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 500, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files).join();
        put(store, 500, 600, "v");
        assertThat(checkpoint.position()).isEqualTo(at(5000));

        RangeStore copy = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, checkpoint.files()));
        assertThat(copy.position()).isEqualTo(at(5000));
        assertThat(keys(copy, KeyRange.ALL)).hasSize(500);
        assertThat(text(copy, 499)).isEqualTo("v499");
    }

    @Test
    void whatWasUploadedBeforeIsNamedAgain() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 500, "v");
        StoredCheckpoint first = store.checkpoint(files).join();
        put(store, 500, 600, "v");
        StoredCheckpoint second = store.checkpoint(files).join();
        assertThat(sorted(second))
                .containsAll(sorted(first))
                .hasSizeGreaterThan(sorted(first).size());

        RangeStore copy = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, second.files()));
        put(copy, 600, 601, "v");
        StoredCheckpoint third = copy.checkpoint(files).join();
        assertThat(sorted(third)).containsAll(sorted(second));
        assertThat(keys(open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, third.files())), KeyRange.ALL))
                .hasSize(601);
    }

    private static List<Manifest.File> sorted(StoredCheckpoint checkpoint) {
        return checkpoint.files().stream()
                .filter(file -> file.localName().endsWith(".sst"))
                .toList();
    }

    @Test
    void everyFileOfACheckpointIsSealedAndAsLongAsItSays() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        for (Manifest.File file : store.checkpoint(files).join().files()) {
            Dfs.FileInfo info = dfs.stat(file.path()).join();
            assertThat(info.sealed()).isTrue();
            assertThat(info.length()).isEqualTo(file.length());
        }
    }

    @Test
    void partsOfACheckpointHoldOnlyWhatIsTheirs() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files).join();
        Key at = Key.beforePartition(7, "p0050");
        RangeStore low = open(new KeyRange(Key.MIN, at), counting(new KeyRange(Key.MIN, at), checkpoint));
        RangeStore high = open(new KeyRange(at, null), counting(new KeyRange(at, null), checkpoint));
        assertThat(keys(low, KeyRange.ALL)).hasSize(50).first().isEqualTo(key(0));
        assertThat(keys(high, KeyRange.ALL)).hasSize(50).first().isEqualTo(key(50));
        put(low, 0, 1, "new");
        assertThat(text(high, 0)).isNull();

        StoredCheckpoint narrowed = low.checkpoint(files).join();
        RangeStore again = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, narrowed.files()));
        assertThat(keys(again, KeyRange.ALL)).hasSize(50);
    }

    /** Three hundred partitions alike, the one in the middle a popular one. */
    private static void fill(RangeStore store, int middleRows) {
        Random random = new Random(1);
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            for (int row = 0; row < (i == 150 ? middleRows : 10); row++) {
                byte[] entity = new byte[1000];
                random.nextBytes(entity);
                effects.add(new Effect.Put(Key.of(7, "p%04d".formatted(i), "r%06d".formatted(row)), entity));
            }
        }
        store.apply(effects, at(10));
    }

    /** Of large entities few enough that RocksDB counts those in memory one by one: of more it draws samples at random. */
    private static void putLarge(RangeStore store, int from, int until) {
        Random random = new Random(from);
        for (int i = from; i < until; i++) {
            byte[] entity = new byte[200_000];
            random.nextBytes(entity);
            store.apply(List.of(new Effect.Put(key(i), entity)), at(10L * (i + 1)));
        }
    }

    /** @param within so many entities: of files RocksDB tells to within a block, which here is one */
    private static void assertHalvedAt(int number, int within, RangeStore store) {
        StoredSize size = store.size().join();
        assertThat(size.bytes()).isBetween(number * 396_000L, number * 412_000L);
        assertThat(size.left()).isBetween(0.48, 0.52);
        assertThat(Objects.requireNonNull(size.middle()).partitionKey())
                .isBetween(
                        key(number - within).partitionKey(),
                        key(number + within).partitionKey());
    }

    @Test
    void theMiddleHalvesTheBytesWhereverTheyLie() {
        RangeStore inMemory = open(KeyRange.ALL);
        assertThat(inMemory.size().join()).isEqualTo(StoredSize.EMPTY);
        putLarge(inMemory, 0, 12);
        assertHalvedAt(6, 0, inMemory);

        // Another store, for this one remembers the middle.
        RangeStore inFiles = open(
                KeyRange.ALL, counting(KeyRange.ALL, inMemory.checkpoint(files).join()));
        assertHalvedAt(6, 1, inFiles);

        putLarge(inFiles, 12, 24);
        assertHalvedAt(12, 1, inFiles);
    }

    @Test
    void theMiddleHalvesManySmallEntitiesInFiles() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 10);
        store.checkpoint(files).join();
        StoredSize size = store.size().join();
        assertThat(size.bytes()).isBetween(2_900_000L, 3_300_000L);
        assertThat(size.left()).isBetween(0.45, 0.55);
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isBetween("p0135", "p0165");
    }

    @Test
    void aPartitionThatTakesMostOfTheBytesIsNotDivided() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 6_000);
        store.checkpoint(files).join();
        StoredSize size = store.size().join();
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isIn("p0150", "p0151");
        assertThat(size.left()).matches(left -> left < 0.25 || left > 0.75);

        KeyRange popular = new KeyRange(Key.beforePartition(7, "p0150"), Key.beforePartition(7, "p0151"));
        RangeStore alone =
                open(popular, counting(popular, store.checkpoint(files).join()));
        assertThat(alone.size().join().middle()).isNull();
    }

    @Test
    void aPartOfACheckpointIsAsLargeAsWhatIsItsOwn() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 10);
        StoredCheckpoint checkpoint = store.checkpoint(files).join();
        KeyRange low = new KeyRange(Key.MIN, Key.beforePartition(7, "p0100"));
        StoredSize size = open(low, counting(low, checkpoint)).size().join();
        assertThat(size.bytes()).isBetween(800_000L, 1_300_000L);
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isBetween("p0030", "p0070");
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
            StoredCheckpoint whole = store.checkpoint(files).join();
            RangeStore part = open(high, counting(high, whole));
            StoredCheckpoint own = part.checkpoint(files).join();
            assertThat(keys(part, KeyRange.ALL)).hasSize(200);
            assertThat(part.position()).isEqualTo(at(10));
            before = bytes(whole);
            after = bytes(own);
        }
        assertThat(after).isLessThan(before * 7 / 10);
    }

    private static long bytes(StoredCheckpoint checkpoint) {
        return checkpoint.files().stream().mapToLong(Manifest.File::length).sum();
    }

    @Test
    void severalCheckpointsOpenAsOneEachWithinItsInterval() {
        Key at = Key.beforePartition(7, "p0050");
        Key end = Key.beforePartition(7, "p0080");
        KeyRange low = new KeyRange(Key.MIN, at);
        KeyRange middle = new KeyRange(at, end);
        KeyRange high = new KeyRange(end, null);
        RangeStore first = open(KeyRange.ALL);
        put(first, 0, 100, "first");
        RangeStore second = open(KeyRange.ALL);
        put(second, 0, 300, "second");
        RangeStore third = open(KeyRange.ALL);
        put(third, 0, 100, "third");
        Manifest.Checkpoint[] all = {
            counting(low, first.checkpoint(files).join()),
            counting(high, second.checkpoint(files).join()),
            counting(middle, third.checkpoint(files).join())
        };
        RangeStore joined = open(KeyRange.ALL, all);
        assertThat(keys(joined, KeyRange.ALL)).hasSize(300);
        assertThat(text(joined, 49)).isEqualTo("first49");
        assertThat(text(joined, 50)).isEqualTo("third50");
        assertThat(text(joined, 79)).isEqualTo("third79");
        assertThat(text(joined, 80)).isEqualTo("second80");

        joined.apply(List.of(new Effect.Delete(key(10)), new Effect.Put(key(60), bytes("new"))), at(1));
        RangeStore again = open(
                KeyRange.ALL, counting(KeyRange.ALL, joined.checkpoint(files).join()));
        assertThat(keys(again, KeyRange.ALL)).hasSize(299);
        assertThat(text(again, 10)).isNull();
        assertThat(text(again, 60)).isEqualTo("new");
        assertThat(again.position()).isEqualTo(at(1));
    }

    @Test
    void whatWasDeletedOnOneSideOfASplitStaysDeletedAfterCompactionAndAMerge() {
        Key at = Key.beforePartition(7, "p0050");
        KeyRange low = new KeyRange(Key.MIN, at);
        KeyRange high = new KeyRange(at, null);
        RangeStore whole = open(KeyRange.ALL);
        put(whole, 0, 100, "v");
        StoredCheckpoint before = whole.checkpoint(files).join();
        RangeStore left = open(low, counting(low, before));
        for (int i = 0; i < 50; i += 2) {
            left.apply(List.of(new Effect.Delete(key(i))), at(5000 + i));
        }
        StoredCheckpoint after = left.checkpoint(files).join();

        for (Manifest.Checkpoint[] order : new Manifest.Checkpoint[][] {
            {counting(low, after), counting(high, before)}, {counting(high, before), counting(low, after)}
        }) {
            RangeStore joined = open(KeyRange.ALL, order);
            assertThat(keys(joined, KeyRange.ALL)).hasSize(75);
            assertThat(text(joined, 0)).isNull();
            assertThat(text(joined, 1)).isEqualTo("v1");
            assertThat(text(joined, 50)).isEqualTo("v50");
        }
    }

    @Test
    void aCheckpointWithNothingInItsIntervalJoins() {
        KeyRange low = new KeyRange(Key.MIN, Key.beforePartition(7, "p0000"));
        KeyRange high = new KeyRange(Key.beforePartition(7, "p0000"), null);
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files).join();
        assertThat(keys(open(KeyRange.ALL, counting(low, checkpoint), counting(high, checkpoint)), KeyRange.ALL))
                .hasSize(10);
    }

    @Test
    void anEmptyStoreHasACheckpointToo() {
        StoredCheckpoint checkpoint = open(KeyRange.ALL).checkpoint(files).join();
        assertThat(checkpoint.position()).isNull();
        assertThat(keys(open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, checkpoint.files())), KeyRange.ALL))
                .isEmpty();
    }

    @Test
    void aCheckpointThatLacksAFileOrHasAnIllNameDoesNotOpenAndLeavesNothingBehind() throws IOException {
        Manifest.File missing = new Manifest.File("000001.sst", "ranges/17.0/42-s1.9-none-1", 10);
        Manifest.File outside = new Manifest.File("../000001.sst", "ranges/17.0/42-s1.9-none-1", 0);
        for (Manifest.File bad : List.of(missing, outside)) {
            assertThatThrownBy(() -> stores.open(
                                    KeyRange.ALL, List.of(new Manifest.Checkpoint(KeyRange.ALL, List.of(bad))))
                            .join())
                    .isInstanceOf(CompletionException.class);
        }
        assertThat(storeFolders()).isEmpty();
    }

    @Test
    void aCheckpointLeavesTheFilesOfOthersThatItMeets() throws IOException {
        String others = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong(1)).next("checkpoint");
        dfs.create(others).join();
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        assertThatThrownBy(() -> store.checkpoint(files).join()).hasStackTraceContaining("EXISTS");
        assertThat(dfs.list("ranges/").join()).extracting(Dfs.FileInfo::path).containsExactly(others);
        assertThat(store.checkpoint(files).join().files()).isNotEmpty();
    }

    private List<RangeStore> openMany(int count, long writeBufferBytes) {
        opened.forEach(RangeStore::close);
        opened.clear();
        stores.close();
        stores = new RocksRangeStores(
                folder.resolve("many"),
                new FileTransfer(dfs),
                new RocksRangeStores.Sizes(2 * writeBufferBytes, writeBufferBytes, 2, 0));
        List<RangeStore> many = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            many.add(open(KeyRange.ALL));
        }
        return many;
    }

    private long sortedFiles() throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("many"))) {
            return all.filter(path -> path.toString().endsWith(".sst")).count();
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

    /** Each entity is flushed to a file of its own, and since their keys ascend no compaction makes fewer of them. */
    private void flushOften(RangeStore store, int flushes) {
        for (int i = 0; i < flushes; i++) {
            put(store, i, i + 1, "v");
            store.checkpoint(files).join();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void manyFilesOfManyStoresTakeNoMoreDescriptorsThanTheirShare() throws IOException {
        long limit = 1024;
        stores.close();
        stores = new RocksRangeStores(
                folder.resolve("many"),
                new FileTransfer(dfs),
                new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0, limit));
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
        try (Stream<Path> all = Files.walk(folder.resolve("many"))) {
            for (Path file :
                    all.filter(path -> path.toString().endsWith(".sst")).toList()) {
                bytes += Files.exists(file) ? Files.size(file) : 0;
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
        stores = new RocksRangeStores(
                folder.resolve("many"),
                new FileTransfer(dfs),
                new RocksRangeStores.Sizes(2 * buffers, buffers, 2, 0, 8192));
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
            Thread.sleep(100); // For the flushes that are under way.
        }
        assertThat(sortedBytes())
                .as("what is not in write buffers, nor waits for them, is in files")
                .isGreaterThanOrEqualTo(notInMemory);
        assertThat(sortedFiles()).as("files").isLessThanOrEqualTo(10L * count);
        assertThat(openBelow(folder.resolve("many"), "")).as("descriptors").isLessThanOrEqualTo(24L * count);
    }

    @Test
    void aProcessThatMayOpenTooFewFilesDoesNotStart() {
        assertThatThrownBy(() -> new RocksRangeStores(
                        folder.resolve("few"),
                        new FileTransfer(dfs),
                        new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0, 1000)))
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
    void aStoreThatIsWrittenIsNotFlushedInDropletsBesideOthersThatHoldTheMemory() throws IOException {
        List<RangeStore> many = openMany(100, 16 << 20);
        byte[] entity = new byte[1024];
        for (int i = 0; i < 150; i++) {
            for (RangeStore each : many) {
                each.apply(List.of(new Effect.Put(key(i), entity)), at(10L * (i + 1)));
            }
        }
        for (int i = 0; i < 4000; i++) {
            many.get(0).apply(List.of(new Effect.Put(key(i), entity)), at(10L * (200 + i)));
        }
        try (Stream<Path> all = Files.walk(folder.resolve("many/store-1"))) {
            assertThat(all.filter(path -> path.toString().endsWith(".sst"))
                            .mapToInt(path -> Integer.parseInt(
                                    path.getFileName().toString().substring(0, 6))))
                    .as("files are numbered as they are made; RocksDB alone flushes 4 MiB in 28 droplets")
                    .allMatch(number -> number < 40);
        }
    }

    @Test
    void whatNoServerMadeIsNotWiped() throws IOException {
        Path shared = Files.createDirectories(folder.resolve("shared/stores"));
        Files.writeString(shared.resolve("thesis.txt"), "text");
        assertThatThrownBy(() ->
                        new RocksRangeStores(shared, new FileTransfer(dfs), new RocksRangeStores.Sizes(1, 1, 1, 0)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("thesis.txt")
                .hasMessageContaining("server.dir");
        assertThat(shared.resolve("thesis.txt")).exists();
    }

    private List<Path> storeFolders() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("stores"))) {
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
        stores = new RocksRangeStores(
                folder.resolve("stores"), new FileTransfer(dfs), new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0));
        assertThat(storeFolders()).isEmpty();
    }
}
