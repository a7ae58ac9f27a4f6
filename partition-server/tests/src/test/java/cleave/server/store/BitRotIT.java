package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsFile;
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
import cleave.server.outside.StoreException.Kind;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flips one bit at each place where the entities of a range lie between two reads, and checks what is reported, and what is not lost. */
final class BitRotIT {
    private static final int ENTITIES = 2_000;

    @TempDir
    private Path folder;

    private final RangeFiles files = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong());
    private final List<RangeStore> opened = new ArrayList<>();
    private Dfs dfs;
    private RocksRangeStores stores;
    /** Runs when the DFS is asked to create a file. */
    private Runnable creating = () -> {};
    /** Done when the DFS is given many bytes. */
    private Runnable appending = () -> {};
    /** Changes the bytes that are read from the DFS. */
    private UnaryOperator<ByteString> reading = bytes -> bytes;

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        beginStores();
    }

    /** With an empty block cache. */
    private void beginStores() {
        stores = new RocksRangeStores(
                folder.resolve("stores"),
                new FileTransfer(watched()),
                new RocksRangeStores.Sizes(16 << 20, 8 << 20, 2, 0));
    }

    @AfterEach
    void end() {
        endStores();
        dfs.close();
    }

    private void endStores() {
        opened.forEach(RangeStore::close);
        opened.clear();
        stores.close();
    }

    private Dfs watched() {
        return (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("create")) {
                        creating.run();
                    }
                    try {
                        Object answer = called.invoke(dfs, arguments);
                        return switch (called.getName()) {
                            case "read" ->
                                ((CompletableFuture<?>) answer).thenApply(bytes -> reading.apply((ByteString) bytes));
                            case "create" -> ((CompletableFuture<?>) answer).thenApply(file -> watched((DfsFile) file));
                            default -> answer;
                        };
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private DfsFile watched(DfsFile file) {
        return (DfsFile) Proxy.newProxyInstance(
                DfsFile.class.getClassLoader(), new Class<?>[] {DfsFile.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("append") && ((ByteString) arguments[0]).size() > 100_000) {
                        appending.run();
                    }
                    try {
                        return called.invoke(file, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private RangeStore open(Manifest.FileSet... checkpoints) {
        List<Manifest.Checkpoint> all = Stream.of(checkpoints)
                .map(each -> new Manifest.Checkpoint(KeyRange.ALL, each))
                .toList();
        RangeStore store = stores.open(KeyRange.ALL, all, bytes -> {}).join();
        opened.add(store);
        return store;
    }

    private static Key key(int number) {
        return Key.of(7, "p%05d".formatted(number), "r");
    }

    private static LogPosition at(long offset) {
        return new LogPosition("ranges/17.0/42-s1.9-log-1", offset, offset / 10 + 1);
    }

    /** Bytes that do not compress, so that they fill many blocks. */
    private static byte[] entity(int number) {
        byte[] bytes = new byte[200];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private static void put(RangeStore store, int from, int until) {
        for (int i = from; i < until; i++) {
            store.apply(List.of(new Effect.Put(key(i), entity(i))), at(10L * (i + 1)));
        }
    }

    private static int readable(RangeStore store, Kind expected) {
        int count = 0;
        for (int i = 0; i < ENTITIES; i++) {
            try {
                assertThat(store.get(key(i))).isEqualTo(entity(i));
                count++;
            } catch (StoreException failure) {
                assertThat(failure.kind()).isEqualTo(expected);
            }
        }
        return count;
    }

    /** The largest sorted file of the store that was opened last. The folders of others may be on their way out. */
    private Path sortedFile() {
        try (Stream<Path> stores = Files.list(folder.resolve("stores"))) {
            Path last = stores.filter(each -> each.getFileName().toString().matches("store-[0-9]+"))
                    .max(Comparator.comparingInt(each ->
                            Integer.parseInt(each.getFileName().toString().substring("store-".length()))))
                    .orElseThrow();
            try (Stream<Path> all = Files.list(last.resolve("db"))) {
                return all.filter(each -> each.toString().endsWith(".sst"))
                        .max(Comparator.comparingLong(BitRotIT::size))
                        .orElseThrow();
            }
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException gone) {
            return -1;
        }
    }

    private static void flip(Path file, long at) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.flip();
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1 << at % 8)}), at);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void assertKind(Throwable failure, Kind kind) {
        Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
        assertThat(why)
                .isInstanceOfSatisfying(
                        StoreException.class, told -> assertThat(told.kind()).isEqualTo(kind));
    }

    private void assertNothingUploaded() {
        assertThat(dfs.list("ranges/").join()).isEmpty();
    }

    @Test
    void everyFlippedBitOfAFileIsFound() throws IOException {
        put(open(), 0, ENTITIES);
        opened.get(0).compact(KeyRange.ALL).join();
        Path file = sortedFile();
        Path copy = Files.createDirectory(folder.resolve("copy")).resolve(file.getFileName());
        Random random = new Random(7);
        long size = Files.size(file);
        try (RocksShared shared = new RocksShared(folder.resolve("native"), 1 << 20, 1 << 20, new OpenFiles(4_096))) {
            Files.copy(file, copy);
            shared.verify(copy);
            for (int i = 0; i < 300; i++) {
                // Most of a file is entities: a third of the flips goes to the part after them.
                long at = i % 3 == 0 ? size - 1 - random.nextInt(i % 2 == 0 ? 4_000 : 60) : random.nextLong(size);
                flip(copy, at);
                assertKind(catchThrowable(() -> shared.verify(copy)), Kind.LOCAL_DAMAGE);
                flip(copy, at);
            }
        }
    }

    @Test
    void aFlushedFileThatRotsBeforeItsCheckpointIsNotUploaded() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        store.compact(KeyRange.ALL).join();
        flip(sortedFile(), 70_000);
        put(store, ENTITIES, ENTITIES + 10);

        assertKind(catchThrowable(() -> store.checkpoint(files, 8 << 10).join()), Kind.LOCAL_DAMAGE);
        assertNothingUploaded();
    }

    @Test
    void aFileThatRotsWhenItsUploadBeginsIsNotUploaded() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        creating = () -> {
            creating = () -> {};
            flip(sortedFile(), 70_000);
        };

        assertKind(catchThrowable(() -> store.checkpoint(files, 8 << 10).join()), Kind.LOCAL_DAMAGE);
        assertNothingUploaded();
    }

    /** A bit that is wrong in memory alone has a right checksum there, and leaves no trace in the file. */
    @Test
    void whatIsReadWrongForAnUploadIsNotUploaded() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Path[] bad = new Path[1];
        creating = () -> {
            creating = () -> {};
            bad[0] = sortedFile();
            flip(bad[0], 70_000);
        };
        appending = () -> {
            appending = () -> {};
            flip(bad[0], 70_000);
        };

        assertKind(catchThrowable(() -> store.checkpoint(files, 8 << 10).join()), Kind.LOCAL_DAMAGE);
        assertNothingUploaded();
    }

    /** Rot in files that the DFS has already is no reason to give up new data. */
    @Test
    void aFileThatRotsAfterItsUploadIsNamedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint first = store.checkpoint(files, 8 << 10).join();
        flip(sortedFile(), 70_000);
        put(store, ENTITIES, ENTITIES + 10);

        StoredCheckpoint second = store.checkpoint(files, 8 << 10).join();

        assertThat(second.files().stored()).containsAll(first.files().stored());
        assertThat(readable(open(second.files()), Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
    }

    /** A checkpoint in progress may still name the file; the next one does not. */
    @Test
    void whatTheDfsHoldsDamagedIsUploadedAgainFromTheStoresCopy() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.File file = largest(store.checkpoint(files, 8 << 10).join());
        put(store, ENTITIES, ENTITIES + 10);
        creating = () -> {
            creating = () -> {};
            store.uploadAgain(file);
        };
        assertThat(store.checkpoint(files, 8 << 10).join().files().stored()).contains(file);

        StoredCheckpoint third = store.checkpoint(files, 8 << 10).join();

        assertThat(third.files().stored())
                .doesNotContain(file)
                .anyMatch(each ->
                        each.localName().equals(file.localName()) && Objects.equals(each.checksum(), file.checksum()));
        assertThat(readable(open(third.files()), Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
    }

    /** A copy that is bad as well is not uploaded as truth. */
    @Test
    void aCopyThatRottedIsNotUploadedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        store.uploadAgain(largest(store.checkpoint(files, 8 << 10).join()));
        flip(sortedFile(), 70_000);

        assertKind(catchThrowable(() -> store.checkpoint(files, 8 << 10).join()), Kind.LOCAL_DAMAGE);
    }

    @Test
    void ofAFileThatIsLostOnlyTheBadBlocksAreAndItIsNamedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        RangeStore again = open(checkpoint.files());
        opened.remove(store);
        store.close();
        flip(folder.resolve("stores/store-2/db").resolve(largest(checkpoint).localName()), 70_000);

        again.lost(largest(checkpoint));

        assertThat(again.damagedFiles()).containsExactly(largest(checkpoint).path());
        assertThat(readable(again, Kind.STORED_DAMAGE)).isBetween(ENTITIES - 250, ENTITIES - 1);
        for (int i = 0; i < 8; i++) { // As many small files as RocksDB would compact.
            put(again, ENTITIES, ENTITIES + 10);
            assertThat(again.checkpoint(files, 8 << 10).join().files().stored()).contains(largest(checkpoint));
        }
        again.compact(KeyRange.ALL).join();
        assertThat(again.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
    }

    @Test
    void aCopyThatIsGoneOrTooShortIsDamaged() throws IOException {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.File file = largest(store.checkpoint(files, 8 << 10).join());
        Path local = sortedFile();
        byte[] bytes = Files.readAllBytes(local);
        Files.write(local, Arrays.copyOf(bytes, bytes.length / 2));
        int length = (int) file.length();
        assertKind(catchThrowable(() -> store.read(file, 0, length).join()), Kind.LOCAL_DAMAGE);
        assertThat(store.read(file, 0, 1_000).join()).contains(ByteString.copyFrom(bytes, 0, 1_000));

        Files.delete(local);
        assertKind(catchThrowable(() -> store.read(file, 0, 1_000).join()), Kind.LOCAL_DAMAGE);
    }

    /** Each way in which a range reads reports that it must open again. */
    @Test
    void localRotIsToldToWhoeverMeetsIt() throws IOException {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        RangeStore again = open(checkpoint.files());
        opened.remove(store);
        store.close();
        Path file = folder.resolve("stores/store-2/db").resolve(sortedFile().getFileName());
        for (long at = 100; at < Files.size(file) - 8_000; at += 16 << 10) {
            flip(file, at);
        }

        assertKind(catchThrowable(() -> again.get(key(1_000))), Kind.LOCAL_DAMAGE);
        assertKind(catchThrowable(() -> scanned(again)), Kind.LOCAL_DAMAGE);
        assertKind(catchThrowable(() -> again.size().join()), Kind.LOCAL_DAMAGE);
        assertThat(again.damagedFiles()).isEmpty();
        assertThat(readable(open(checkpoint.files()), Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
    }

    private static int scanned(RangeStore store) {
        int count = 0;
        try (EntityCursor cursor = store.cursor(KeyRange.ALL)) {
            for (; cursor.valid(); cursor.next()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void bytesThatChangeOnTheirWayAreFetchedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        AtomicInteger flips = new AtomicInteger();
        reading = bytes -> bytes.size() > 100_000 && flips.getAndIncrement() == 0 ? flipped(bytes) : bytes;

        RangeStore again = open(checkpoint.files());

        assertThat(flips).hasPositiveValue();
        assertThat(again.damagedFiles()).isEmpty();
        assertThat(readable(again, Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
    }

    private static ByteString flipped(ByteString bytes) {
        byte[] other = bytes.toByteArray();
        other[70_000] ^= 4;
        return ByteString.copyFrom(other);
    }

    /** The DFS can read the block for nobody, as its own checksums show. */
    @Test
    void ofAFileThatRotsInTheDfsAllButItsBadBlocksIsServed() throws IOException {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        flip(largestExtent(), 70_000);

        RangeStore again = open(checkpoint.files());

        assertConfined(again, checkpoint.files().stored());
    }

    /** The bit is in the file's first or last block, its index, or its footer: less of that file can be read, but all of the others. */
    @Test
    void aFileWithABadEdgeCostsNoMoreThanItself() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        store.checkpoint(files, 8 << 10).join();
        put(store, ENTITIES, ENTITIES + 10);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        int size = (int) largest(checkpoint).length();
        KeyRange table = KeyRange.ofTable(7);
        for (int at : new int[] {100, size / 2, size - 3_000, size - 1_000, size - 300, size - 20, size - 1}) {
            endStores();
            beginStores();
            Manifest.Checkpoint bad = new Manifest.Checkpoint(table, withBadCopy(checkpoint, at, false));
            RangeStore again = stores.open(table, List.of(bad), bytes -> {}).join();
            opened.add(again);
            assertThat(again.damagedFiles()).as("a flip at %s of %s", at, size).hasSize(1);
            assertThat(readable(again, Kind.STORED_DAMAGE)).isLessThanOrEqualTo(ENTITIES);
            assertThat(again.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
            put(again, ENTITIES + 10, ENTITIES + 20);
            assertThat(again.checkpoint(files, 8 << 10).join().files().stored()).hasSizeGreaterThan(1);
        }
    }

    private static Manifest.File largest(StoredCheckpoint checkpoint) {
        return checkpoint.files().stored().stream()
                .max((one, other) -> Long.compare(one.length(), other.length()))
                .orElseThrow();
    }

    /** The files of a checkpoint, the largest of which is a copy with one flipped bit. */
    private Manifest.FileSet withBadCopy(StoredCheckpoint checkpoint, int at, boolean withoutChecksums) {
        Manifest.File file = largest(checkpoint);
        String path = files.next("checkpoint");
        byte[] bytes = dfs.read(file.path(), 0, (int) file.length()).join().toByteArray();
        bytes[at] ^= 4;
        DfsFile copy = dfs.create(path).join();
        copy.append(ByteString.copyFrom(bytes)).join();
        dfs.seal(path).join();
        copy.close();
        List<Manifest.File> stored = new ArrayList<>(checkpoint.files().stored());
        stored.replaceAll(each ->
                each.equals(file) ? new Manifest.File(each.localName(), path, each.length(), each.checksum()) : each);
        Manifest.FileSet bad = new Manifest.FileSet(stored, checkpoint.files().inline());
        return withoutChecksums ? bad.withoutChecksums() : bad;
    }

    private Path largestExtent() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("dfs/extents"))) {
            return all.max((one, other) -> Long.compare(size(one), size(other))).orElseThrow();
        }
    }

    /** A bad block costs its own entities; the store takes writes and makes checkpoints, from which others open. */
    private void assertConfined(RangeStore store, List<Manifest.File> damaged) {
        assertThat(store.damagedFiles())
                .hasSize(1)
                .allMatch(path -> damaged.stream().anyMatch(file -> file.path().equals(path)));
        int readable = readable(store, Kind.STORED_DAMAGE);
        assertThat(readable).isBetween(ENTITIES - 250, ENTITIES - 1);
        assertKind(catchThrowable(() -> scanned(store)), Kind.STORED_DAMAGE);
        store.size().join();
        store.compact(KeyRange.ofTable(9)).join(); // All files within would be let go of.
        put(store, ENTITIES, ENTITIES + 10);
        StoredCheckpoint next = store.checkpoint(files, 8 << 10).join();
        RangeStore later = open(next.files());
        assertThat(later.damagedFiles()).isEqualTo(store.damagedFiles());
        assertThat(readable(later, Kind.STORED_DAMAGE)).isEqualTo(readable);
        assertThat(later.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
    }

    /** A version before checksums may have uploaded it so: the DFS has the bytes that it was given, and they were bad. */
    @Test
    void aBadBlockThatWasUploadedIsFoundWhenItIsFetched() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        StoredCheckpoint checkpoint = store.checkpoint(files, 8 << 10).join();
        Manifest.FileSet bad = withBadCopy(checkpoint, 70_000, true);

        assertConfined(open(bad), bad.stored());
    }

    @Test
    void withoutRocksDbsListOfFilesNothingOpens() throws IOException {
        RangeStore store = open();
        put(store, 0, 10);
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        Manifest.File list = checkpoint.files().stored().stream()
                .filter(file -> file.localName().startsWith("MANIFEST"))
                .findFirst()
                .orElseThrow();
        List<Manifest.File> stored = new ArrayList<>(checkpoint.files().stored());
        stored.replaceAll(
                each -> each.equals(list) ? new Manifest.File(each.localName(), each.path(), each.length(), 1) : each);

        Throwable failure = catchThrowable(() -> open(new Manifest.FileSet(stored, List.of())));

        assertKind(failure, Kind.STORED_DAMAGE);
        assertThat(failure).hasMessageContaining(list.path());
    }
}
