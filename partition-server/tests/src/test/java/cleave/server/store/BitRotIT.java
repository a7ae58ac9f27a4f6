package cleave.server.store;

import static cleave.server.store.DamagedFilesContract.assertKind;
import static cleave.server.store.DamagedFilesContract.largest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.StoreException;
import cleave.server.outside.StoreException.Kind;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Flips one bit at each place where the entities of a range lie between two reads, and checks what is reported, and what is not lost. */
final class BitRotIT extends OnRocks {
    private static final int ENTITIES = 2_000;

    /** Runs when the DFS is asked to create a file. */
    private Runnable creating = () -> {};
    /** Done when the DFS is given many bytes. */
    private Runnable appending = () -> {};
    /** Changes the bytes that are read from the DFS. */
    private UnaryOperator<ByteString> reading = bytes -> bytes;

    @Override
    Dfs asRead(Dfs dfs) {
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

    private void put(RangeStore store, int from, int until) {
        for (int i = from; i < until; i++) {
            apply(store, new Effect.Put(key(i), entity(i)));
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
            return sortedFile(stores.filter(
                            each -> each.getFileName().toString().matches("store-[0-9]+"))
                    .max(Comparator.comparingInt(each ->
                            Integer.parseInt(each.getFileName().toString().substring("store-".length()))))
                    .orElseThrow());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
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

    /** A checkpoint in progress may still name the file; the next one does not. */
    @Test
    void whatTheDfsHoldsDamagedIsUploadedAgainFromTheStoresCopy() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.File file = largest(checkpoint(store));
        put(store, ENTITIES, ENTITIES + 10);
        creating = () -> {
            creating = () -> {};
            store.uploadAgain(file);
        };
        assertThat(checkpoint(store).stored()).contains(file);

        Manifest.FileSet third = checkpoint(store);

        assertThat(third.stored())
                .doesNotContain(file)
                .anyMatch(each ->
                        each.localName().equals(file.localName()) && Objects.equals(each.checksum(), file.checksum()));
        assertThat(readable(open(third), Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
    }

    /** A copy that is bad as well is not uploaded as truth. */
    @Test
    void aCopyThatRottedIsNotUploadedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        store.uploadAgain(largest(checkpoint(store)));
        flip(sortedFile(), 70_000);

        assertKind(catchThrowable(() -> store.checkpoint(files, 8 << 10).join()), Kind.LOCAL_DAMAGE);
    }

    @Test
    void ofAFileThatIsLostOnlyTheBadBlocksAreAndItIsNamedAgain() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.FileSet checkpoint = checkpoint(store);
        RangeStore again = open(checkpoint);
        close(store);
        flip(folder.resolve("stores/store-2/db").resolve(largest(checkpoint).localName()), 70_000);

        again.lost(largest(checkpoint));

        assertThat(again.damagedFiles()).containsExactly(largest(checkpoint).path());
        assertThat(readable(again, Kind.STORED_DAMAGE)).isBetween(ENTITIES - 250, ENTITIES - 1);
        for (int i = 0; i < 8; i++) { // As many small files as RocksDB would compact.
            put(again, ENTITIES, ENTITIES + 10);
            assertThat(checkpoint(again).stored()).contains(largest(checkpoint));
        }
        again.compact(KeyRange.ALL).join();
        assertThat(again.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
    }

    @Test
    void aCopyThatIsGoneOrTooShortIsDamaged() throws IOException {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.File file = largest(checkpoint(store));
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
        Manifest.FileSet checkpoint = checkpoint(store);
        RangeStore again = open(checkpoint);
        close(store);
        Path file = folder.resolve("stores/store-2/db").resolve(sortedFile().getFileName());
        for (long at = 100; at < Files.size(file) - 8_000; at += 16 << 10) {
            flip(file, at);
        }

        assertKind(catchThrowable(() -> again.get(key(1_000))), Kind.LOCAL_DAMAGE);
        assertKind(catchThrowable(() -> scanned(again)), Kind.LOCAL_DAMAGE);
        assertKind(catchThrowable(() -> again.size().join()), Kind.LOCAL_DAMAGE);
        assertThat(again.damagedFiles()).isEmpty();
        assertThat(readable(open(checkpoint), Kind.LOCAL_DAMAGE)).isEqualTo(ENTITIES);
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

    /** The DFS can read the block for nobody, as its own checksums show. */
    @Test
    void ofAFileThatRotsInTheDfsAllButItsBadBlocksIsServed() throws IOException {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        Manifest.FileSet checkpoint = checkpoint(store);
        flip(largestExtent(), 70_000);
        onAnEmptyDisk();

        RangeStore again = open(checkpoint);

        assertConfined(again, checkpoint.stored());
    }

    /** The bit is in the file's first or last block, its index, or its footer: less of that file can be read, but all of the others. */
    @Test
    void aFileWithABadEdgeCostsNoMoreThanItself() {
        RangeStore store = open();
        put(store, 0, ENTITIES);
        store.checkpoint(files, 8 << 10).join();
        put(store, ENTITIES, ENTITIES + 10);
        Manifest.FileSet checkpoint = checkpoint(store);
        int size = (int) largest(checkpoint).length();
        KeyRange table = KeyRange.ofTable(7);
        for (int at : new int[] {100, size / 2, size - 3_000, size - 1_000, size - 300, size - 20, size - 1}) {
            endStores();
            stores = newStores();
            RangeStore again = open(table, damaged(checkpoint, at));
            assertThat(again.damagedFiles()).as("a flip at %s of %s", at, size).hasSize(1);
            assertThat(readable(again, Kind.STORED_DAMAGE)).isLessThanOrEqualTo(ENTITIES);
            assertThat(again.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
            put(again, ENTITIES + 10, ENTITIES + 20);
            assertThat(checkpoint(again).stored()).hasSizeGreaterThan(1);
        }
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
        Manifest.FileSet next = checkpoint(store);
        RangeStore later = open(next);
        assertThat(later.damagedFiles()).isEqualTo(store.damagedFiles());
        assertThat(readable(later, Kind.STORED_DAMAGE)).isEqualTo(readable);
        assertThat(later.get(key(ENTITIES + 5))).isEqualTo(entity(ENTITIES + 5));
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
