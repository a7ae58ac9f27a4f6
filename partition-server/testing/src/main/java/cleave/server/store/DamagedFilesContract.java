package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.dfs.Dfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.EventLoop;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.StoreException;
import cleave.server.outside.StoreException.Kind;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of stores whose files are damaged: here, in the DFS, or on the way. A bad block costs its own entities, and each read of
 * them says so.
 */
abstract class DamagedFilesContract extends RangeStoreContract {
    private static final int MANY = 1_000;

    /** Flips a bit of an entity in the largest local file of the store that was opened last. */
    abstract void rot();

    /** Changes the bytes that the stores read from the DFS. */
    interface Reading {
        ByteString read(String path, long offset, ByteString bytes);
    }

    Reading reading = (path, offset, bytes) -> bytes;

    /** The DFS, as the stores read it. */
    final Dfs asRead(Dfs dfs) {
        return (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    try {
                        Object answer = called.invoke(dfs, arguments);
                        return called.getName().equals("read")
                                ? ((CompletableFuture<?>) answer)
                                        .thenApply(bytes -> reading.read(
                                                (String) arguments[0], (long) arguments[1], (ByteString) bytes))
                                : answer;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    /**
     * The same checkpoint, but the DFS holds a file of it damaged: of a hundred entities of table 7 some can still be read, before the
     * damage and after it.
     */
    abstract Manifest.Checkpoint damaged(StoredCheckpoint checkpoint);

    /** The next store finds no files of checkpoints here, as at another server. */
    void forgetLocalFiles() throws IOException {}

    @Test
    void whatCannotBeReadIsPassedOverByASalvageAndStopsOthers() {
        RangeStore whole = open(KeyRange.ALL);
        putTable(whole, 7, 0, 100, 1_000);
        List<Key> all = keys(whole, KeyRange.ALL);
        RangeStore store = open(KeyRange.ALL, damaged(whole.checkpoint(files, 0).join()));
        assertThat(store.damagedFiles()).hasSize(1);
        Key added = Key.of(7, "p000100", "r");
        atWork(store, 2_000, new Effect.Put(added, bytes("new")));

        List<Key> before = new ArrayList<>();
        try (EntityCursor cursor = store.cursor(KeyRange.ALL)) {
            Throwable failure = catchThrowable(() -> {
                for (; cursor.valid(); cursor.next()) {
                    assertThat(cursor.unreadable()).isNull();
                    before.add(Key.wrap(cursor.key()));
                }
            });
            assertKind(failure, Kind.STORED_DAMAGE);
        }

        List<Key> read = new ArrayList<>();
        List<KeyRange> passed = new ArrayList<>();
        try (EntityCursor cursor = store.salvage(KeyRange.ALL)) {
            for (; cursor.valid(); cursor.next()) {
                KeyRange unreadable = cursor.unreadable();
                if (unreadable != null) {
                    assertThat(Key.wrap(cursor.key())).isEqualTo(unreadable.start());
                    passed.add(unreadable);
                } else {
                    read.add(Key.wrap(cursor.key()));
                    assertThat(cursor.entity()).isEqualTo(store.get(Key.wrap(cursor.key())));
                }
            }
        }
        assertThat(read).isSorted().startsWith(before.toArray(Key[]::new)).endsWith(added);
        assertThat(before).isNotEmpty().hasSizeLessThan(read.size() - 1);
        assertThat(passed).isNotEmpty();
        assertThat(read).hasSizeLessThan(101);
        for (Key key : all) {
            assertThat(read.contains(key) || passed.stream().anyMatch(each -> each.contains(key)))
                    .as("%s is read or passed over", key)
                    .isTrue();
        }
    }

    @Test
    void aSalvageOfWhatIsWholeReadsAll() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        try (EntityCursor cursor = store.salvage(new KeyRange(key(3), key(5)))) {
            assertThat(cursor.valid()).isTrue();
            assertThat(Key.wrap(cursor.key())).isEqualTo(key(3));
            cursor.next();
            assertThat(Key.wrap(cursor.key())).isEqualTo(key(4));
            assertThat(cursor.unreadable()).isNull();
            cursor.next();
            assertThat(cursor.valid()).isFalse();
        }
    }

    @Test
    void whatIsUploadedAgainGetsAnotherPath() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint first = store.checkpoint(files, 0).join();
        first.files().stored().forEach(store::uploadAgain);

        StoredCheckpoint second = store.checkpoint(files, 0).join();

        assertThat(second.files().stored())
                .doesNotContainAnyElementsOf(first.files().stored());
        assertThat(text(open(KeyRange.ALL, counting(KeyRange.ALL, second)), 7)).isEqualTo("v7");
    }

    @Test
    void whatIsLostIsOneOfTheDamagedFilesAndTheStoreGoesOn() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        Manifest.File file = store.checkpoint(files, 0).join().files().stored().get(0);
        assertThat(store.damagedFiles()).isEmpty();

        store.lost(file);

        assertThat(store.damagedFiles()).containsExactly(file.path());
        put(store, 100, 200, "v");
        StoredCheckpoint later = store.checkpoint(files, 0).join();
        assertThat(text(open(KeyRange.ALL, counting(KeyRange.ALL, later)), 170)).isEqualTo("v170");
    }

    /** Bytes that do not compress, so that they fill many blocks. */
    private static byte[] large(int number) {
        byte[] entity = new byte[200];
        new Random(number).nextBytes(entity);
        return entity;
    }

    private static void putMany(RangeStore store) {
        for (int i = 0; i < MANY; i++) {
            store.apply(List.of(new Effect.Put(key(i), large(i))), at(10L * (i + 1)));
        }
    }

    private RangeStore many() {
        RangeStore store = open(KeyRange.ALL);
        putMany(store);
        return store;
    }

    /** The number of entities that can be read; for the others the store reports this kind of damage. */
    private static int readable(RangeStore store, Kind expected) {
        int count = 0;
        for (int i = 0; i < MANY; i++) {
            try {
                assertThat(store.get(key(i))).isEqualTo(large(i));
                count++;
            } catch (StoreException failure) {
                assertThat(failure.kind()).isEqualTo(expected);
            }
        }
        return count;
    }

    static void assertKind(Throwable failure, Kind kind) {
        assertThat(EventLoop.cause(failure))
                .isInstanceOfSatisfying(
                        StoreException.class, told -> assertThat(told.kind()).isEqualTo(kind));
    }

    static Manifest.File largest(Manifest.FileSet files) {
        return files.stored().stream()
                .max(Comparator.comparingLong(Manifest.File::length))
                .orElseThrow();
    }

    @Test
    void everyFileOfACheckpointHasTheChecksumOfItsBytes() {
        for (Manifest.File file : many().checkpoint(files, 0).join().files().stored()) {
            ByteString bytes =
                    dfs().read(file.path(), 0, Math.toIntExact(file.length())).join();
            assertThat(file.checksum()).isEqualTo(FileTransfer.checksum(bytes.toByteArray()));
        }
    }

    @Test
    void aFileThatRotsBeforeItsCheckpointIsNotUploaded() {
        RangeStore store = many();
        store.compact(KeyRange.ALL).join();
        rot();
        put(store, MANY, MANY + 10, "v");

        assertKind(catchThrowable(() -> store.checkpoint(files, 0).join()), Kind.LOCAL_DAMAGE);
        assertThat(dfs().list("ranges/").join()).isEmpty();
    }

    @Test
    void aFileThatRotsAfterItsCheckpointIsNamedAgain() {
        RangeStore store = many();
        StoredCheckpoint first = store.checkpoint(files, 8 << 10).join();
        rot();
        put(store, MANY, MANY + 10, "v");

        StoredCheckpoint second = store.checkpoint(files, 8 << 10).join();

        assertThat(second.files().stored()).containsAll(first.files().stored());
        assertThat(readable(open(KeyRange.ALL, counting(KeyRange.ALL, second)), Kind.LOCAL_DAMAGE))
                .isEqualTo(MANY);
    }

    @Test
    void rotOfALocalFileIsToldToReadsAndScans() {
        StoredCheckpoint checkpoint = many().checkpoint(files, 0).join();
        RangeStore store = open(KeyRange.ALL, counting(KeyRange.ALL, checkpoint));
        rot();

        assertThat(readable(store, Kind.LOCAL_DAMAGE)).isBetween(MANY - 250, MANY - 1);
        assertKind(catchThrowable(() -> keys(store, KeyRange.ALL)), Kind.LOCAL_DAMAGE);
        assertThat(store.damagedFiles()).isEmpty();
        assertThat(readable(open(KeyRange.ALL, counting(KeyRange.ALL, checkpoint)), Kind.LOCAL_DAMAGE))
                .isEqualTo(MANY);
    }

    /** Files of earlier versions have no checksum in the manifest, but each of their blocks has one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatChangesOnItsWayIsFetchedAgain(boolean hasChecksums) throws IOException {
        Manifest.FileSet stored = many().checkpoint(files, 0).join().files();
        Manifest.File file = largest(stored);
        AtomicInteger reads = new AtomicInteger();
        reading = (path, offset, bytes) ->
                path.equals(file.path()) && reads.getAndIncrement() == 0 ? flipped(bytes, 70_000) : bytes;

        forgetLocalFiles();
        RangeStore store = open(
                KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, hasChecksums ? stored : stored.withoutChecksums()));

        assertThat(reads).hasValueGreaterThan(1);
        assertThat(store.damagedFiles()).isEmpty();
        assertThat(readable(store, Kind.LOCAL_DAMAGE)).isEqualTo(MANY);
    }

    private static ByteString flipped(ByteString bytes, int at) {
        byte[] other = bytes.toByteArray();
        other[at] ^= 4;
        return ByteString.copyFrom(other);
    }

    /** Its bad block costs its own entities; the store takes writes and makes checkpoints, which name the file again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofAFileThatTheDfsHoldsDamagedAllButABlockIsServed(boolean hasChecksums) throws IOException {
        Manifest.FileSet stored = many().checkpoint(files, 0).join().files();
        Manifest.File file = largest(stored);
        reading =
                (path, offset, bytes) -> path.equals(file.path()) && offset <= 70_000 && offset + bytes.size() > 70_000
                        ? flipped(bytes, 70_000 - (int) offset)
                        : bytes;

        forgetLocalFiles();
        RangeStore store = open(
                KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, hasChecksums ? stored : stored.withoutChecksums()));

        assertThat(store.damagedFiles()).containsExactly(file.path());
        int readable = readable(store, Kind.STORED_DAMAGE);
        assertThat(readable).isBetween(MANY - 250, MANY - 1);
        assertKind(catchThrowable(() -> keys(store, KeyRange.ALL)), Kind.STORED_DAMAGE);
        assertThat(store.size().join().bytes()).isPositive();
        put(store, MANY, MANY + 10, "v");
        store.compact(KeyRange.ofTable(9)).join();
        StoredCheckpoint next = store.checkpoint(files, 0).join();
        RangeStore later = open(KeyRange.ALL, counting(KeyRange.ALL, next));
        assertThat(later.damagedFiles()).containsExactly(file.path());
        assertThat(readable(later, Kind.STORED_DAMAGE)).isEqualTo(readable);
        assertThat(text(later, MANY + 5)).isEqualTo("v" + (MANY + 5));
    }
}
