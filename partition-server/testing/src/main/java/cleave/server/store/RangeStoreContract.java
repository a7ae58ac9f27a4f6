package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.RangeStores;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of every implementation of the stores: it narrows to an interval, drops tables, keeps positions, joins checkpoints. */
abstract class RangeStoreContract {
    final List<RangeStore> opened = new ArrayList<>();
    final RangeFiles files = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong());

    /** The DFS of the checkpoints. */
    abstract Dfs dfs();

    abstract RangeStores stores();

    /** Bytes of checkpoints that the opened stores said had come. */
    final AtomicLong fetched = new AtomicLong();

    /** The number of files of a checkpoint that are uploaded before one whose path is taken by others: as many as there can be. */
    long uploadedBefore() {
        return 0;
    }

    final RangeStore open(KeyRange interval, Manifest.Checkpoint... checkpoints) {
        RangeStore store = stores().open(interval, List.of(checkpoints), fetched::addAndGet)
                .join();
        opened.add(store);
        return store;
    }

    static Manifest.Checkpoint counting(KeyRange interval, StoredCheckpoint checkpoint) {
        return new Manifest.Checkpoint(interval, checkpoint.files());
    }

    static Key key(int number) {
        return Key.of(7, "p%04d".formatted(number), "r");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static LogPosition at(long offset) {
        return new LogPosition("ranges/17.0/42-s1.9-log-1", offset, offset / 10 + 1);
    }

    static void put(RangeStore store, int from, int until, String value) {
        for (int i = from; i < until; i++) {
            store.apply(List.of(new Effect.Put(key(i), bytes(value + i))), at(10L * (i + 1)));
        }
    }

    static @Nullable String text(RangeStore store, int number) {
        byte[] entity = store.get(key(number));
        return entity == null ? null : new String(entity, StandardCharsets.UTF_8);
    }

    static List<Key> keys(RangeStore store, KeyRange interval) {
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

    static RangeStore atWork(RangeStore store, long offset, Effect... effects) {
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
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
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

    /** Waiting effects are older: a large record goes past them to RocksDB. */
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
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        put(store, 500, 600, "v");
        assertThat(checkpoint.position()).isEqualTo(at(5000));

        RangeStore copy = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, checkpoint.files()));
        assertThat(copy.position()).isEqualTo(at(5000));
        assertThat(fetched).hasValue(checkpoint.files().bytes());
        assertThat(keys(copy, KeyRange.ALL)).hasSize(500);
        assertThat(text(copy, 499)).isEqualTo("v499");
    }

    @Test
    void everyFileOfACheckpointIsSealedAndAsLongAsItSays() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        for (Manifest.File file : store.checkpoint(files, 0).join().files().stored()) {
            Dfs.FileInfo info = dfs().stat(file.path()).join();
            assertThat(info.sealed()).isTrue();
            assertThat(info.length()).isEqualTo(file.length());
        }
    }

    @Test
    void ofAFileWithEntitiesTheStoreHasACopyUntilItNeedsNoneAnyMore() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        int copies = copies(store, checkpoint);
        assertThat(copies).isPositive();
        assertThat(copies(open(KeyRange.ALL, counting(KeyRange.ALL, checkpoint)), checkpoint))
                .isEqualTo(copies);

        store.apply(List.of(new Effect.DropTable(7)), at(2_000));
        store.compact(KeyRange.ofTable(7)).join();
        store.checkpoint(files, 0).join();
        assertThat(copies(store, checkpoint)).isLessThan(copies);
    }

    /** The number of files of a checkpoint that it has a copy of, each as it was uploaded. */
    private int copies(RangeStore store, StoredCheckpoint checkpoint) {
        int count = 0;
        for (Manifest.File file : checkpoint.files().stored()) {
            int length = (int) file.length() - 7;
            Optional<ByteString> copy = store.read(file, 7, length).join();
            if (copy.isPresent()) {
                assertThat(copy.get())
                        .isEqualTo(dfs().read(file.path(), 7, length).join());
                count++;
            }
        }
        return count;
    }

    @Test
    void whatHoldsNoEntitiesMayBeInline() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files, 4_096).join();
        assertThat(checkpoint.files().inline())
                .isNotEmpty()
                .noneMatch(file -> file.localName().endsWith(".sst"))
                .allMatch(file -> file.content().size() <= 4_096);
        assertThat(checkpoint.files().stored())
                .isNotEmpty()
                .allMatch(file -> file.localName().endsWith(".sst"));
        RangeStore copy = open(KeyRange.ALL, counting(KeyRange.ALL, checkpoint));
        assertThat(copy.position()).isEqualTo(at(1000));
        assertThat(keys(copy, KeyRange.ALL)).hasSize(100);

        StoredCheckpoint again = copy.checkpoint(files, 0).join();
        assertThat(again.files().inline()).isEmpty();
        assertThat(keys(open(KeyRange.ALL, counting(KeyRange.ALL, again)), KeyRange.ALL))
                .hasSize(100);
    }

    /** A small file inline, a larger one in the DFS; a checkpoint with inline files and one without. */
    @Test
    void mixedCheckpointsAreJoined() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint mixed = store.checkpoint(files, 100).join();
        assertThat(mixed.files().inline())
                .isNotEmpty()
                .allMatch(file -> file.content().size() <= 100);
        StoredCheckpoint inline = store.checkpoint(files, 4_096).join();
        StoredCheckpoint stored = store.checkpoint(files, 0).join();
        Key first = Key.beforePartition(7, "p0030");
        Key second = Key.beforePartition(7, "p0060");
        KeyRange low = new KeyRange(Key.MIN, first);
        KeyRange middle = new KeyRange(first, second);
        KeyRange high = new KeyRange(second, null);

        RangeStore joined = open(KeyRange.ALL, counting(low, mixed), counting(middle, inline), counting(high, stored));
        assertThat(keys(joined, KeyRange.ALL)).hasSize(100);
        assertThat(text(joined, 99)).isEqualTo("v99");
        assertThat(keys(open(middle, counting(middle, mixed)), KeyRange.ALL)).hasSize(30);
    }

    @Test
    void aFileThatIsLargerThanInlineOnesMayBeIsAFileOfTheDfs() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        assertThat(store.checkpoint(files, 1).join().files().inline()).isEmpty();
    }

    @Test
    void partsOfACheckpointHoldOnlyWhatIsTheirs() {
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 100, "v");
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        Key at = Key.beforePartition(7, "p0050");
        RangeStore low = open(new KeyRange(Key.MIN, at), counting(new KeyRange(Key.MIN, at), checkpoint));
        RangeStore high = open(new KeyRange(at, null), counting(new KeyRange(at, null), checkpoint));
        assertThat(keys(low, KeyRange.ALL)).hasSize(50).first().isEqualTo(key(0));
        assertThat(keys(high, KeyRange.ALL)).hasSize(50).first().isEqualTo(key(50));
        put(low, 0, 1, "new");
        assertThat(text(high, 0)).isNull();

        StoredCheckpoint narrowed = low.checkpoint(files, 0).join();
        RangeStore again = open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, narrowed.files()));
        assertThat(keys(again, KeyRange.ALL)).hasSize(50);
    }

    /** Three hundred partitions alike, the one in the middle a popular one. */
    static void fill(RangeStore store, int middleRows) {
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

    /** Puts large entities, few enough that RocksDB counts those in memory one by one: of more it draws samples at random. */
    static void putLarge(RangeStore store, int from, int until) {
        Random random = new Random(from);
        for (int i = from; i < until; i++) {
            byte[] entity = new byte[200_000];
            random.nextBytes(entity);
            store.apply(List.of(new Effect.Put(key(i), entity)), at(10L * (i + 1)));
        }
    }

    /** @param within the tolerance, in entities; sizes in files are exact to a block, which here holds one entity */
    static void assertHalvedAt(int number, int within, RangeStore store) {
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
                KeyRange.ALL,
                counting(KeyRange.ALL, inMemory.checkpoint(files, 0).join()));
        assertHalvedAt(6, 1, inFiles);

        putLarge(inFiles, 12, 24);
        assertHalvedAt(12, 1, inFiles);
    }

    @Test
    void theMiddleHalvesManySmallEntitiesInFiles() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 10);
        store.checkpoint(files, 0).join();
        StoredSize size = store.size().join();
        assertThat(size.bytes()).isBetween(2_900_000L, 3_300_000L);
        assertThat(size.left()).isBetween(0.45, 0.55);
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isBetween("p0135", "p0165");
    }

    /** Entities of random bytes, which cannot be compressed. */
    static void putTable(RangeStore store, long table, int from, int until, int length) {
        Random random = new Random(table * 31 + from);
        List<Effect> effects = new ArrayList<>();
        for (int i = from; i < until; i++) {
            byte[] entity = new byte[length];
            random.nextBytes(entity);
            effects.add(new Effect.Put(Key.of(table, "p%06d".formatted(i), "r"), entity));
        }
        store.apply(effects, at(10L * until));
    }

    private static TableSize ofTable(long table, RangeStore store) {
        return store.size().join().tables().stream()
                .filter(size -> size.table() == table)
                .findFirst()
                .orElseThrow();
    }

    /** A table with few entities is counted; of a larger one the error is small in files, and large in memory, which holds little here. */
    @Test
    void whatEachTableTakesIsKnown() {
        RangeStore store = open(KeyRange.ALL);
        putTable(store, 3, 0, 40, 100);
        putTable(store, 5, 0, 4_000, 1_000);
        putTable(store, 8, 0, 99, 300);
        store.checkpoint(files, 0).join();
        putTable(store, 5, 4_000, 4_200, 1_000);

        assertThat(ofTable(3, store)).isEqualTo(new TableSize(3, 40 * (100 + 8 + 7 + 2), 40));
        assertThat(ofTable(8, store)).isEqualTo(new TableSize(8, 99 * (300 + 8 + 7 + 2), 99));
        assertThat(ofTable(5, store).bytes()).isBetween(3_900_000L, 5_200_000L);
        assertThat(ofTable(5, store).entities()).isBetween(3_400L, 5_200L);
    }

    @Test
    void ofATableThatAlsoLiesElsewhereOnlyTheOwnPartCounts() {
        RangeStore store = open(KeyRange.ALL);
        putTable(store, 3, 0, 40, 100);
        putTable(store, 5, 0, 4_000, 1_000);
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();

        KeyRange high = new KeyRange(Key.beforePartition(5, "p001000"), null);
        RangeStore part = open(high, counting(high, checkpoint));

        assertThat(part.size().join().tables()).hasSize(1);
        assertThat(ofTable(5, part).bytes()).isBetween(2_700_000L, 3_300_000L);
        assertThat(ofTable(5, part).entities()).isBetween(2_700L, 3_300L);
    }

    @Test
    void aDroppedTableTakesNothing() {
        RangeStore store = open(KeyRange.ALL);
        putTable(store, 3, 0, 400, 100);
        putTable(store, 5, 0, 400, 100);
        store.checkpoint(files, 0).join();
        store.apply(List.of(new Effect.DropTable(3)), at(9_999));

        assertThat(store.size().join().tables()).extracting(TableSize::table).containsExactly(5L);
    }

    @Test
    void aPartitionThatTakesMostOfTheBytesIsNotDivided() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 6_000);
        store.checkpoint(files, 0).join();
        StoredSize size = store.size().join();
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isIn("p0150", "p0151");
        assertThat(size.left()).matches(left -> left < 0.25 || left > 0.75);

        KeyRange popular = new KeyRange(Key.beforePartition(7, "p0150"), Key.beforePartition(7, "p0151"));
        RangeStore alone =
                open(popular, counting(popular, store.checkpoint(files, 0).join()));
        assertThat(alone.size().join().middle()).isNull();
    }

    @Test
    void aPartOfACheckpointIsAsLargeAsWhatIsItsOwn() {
        RangeStore store = open(KeyRange.ALL);
        fill(store, 10);
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        KeyRange low = new KeyRange(Key.MIN, Key.beforePartition(7, "p0100"));
        StoredSize size = open(low, counting(low, checkpoint)).size().join();
        assertThat(size.bytes()).isBetween(800_000L, 1_300_000L);
        assertThat(Objects.requireNonNull(size.middle()).partitionKey()).isBetween("p0030", "p0070");
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
            counting(low, first.checkpoint(files, 0).join()),
            counting(high, second.checkpoint(files, 0).join()),
            counting(middle, third.checkpoint(files, 0).join())
        };
        RangeStore joined = open(KeyRange.ALL, all);
        assertThat(keys(joined, KeyRange.ALL)).hasSize(300);
        assertThat(text(joined, 49)).isEqualTo("first49");
        assertThat(text(joined, 50)).isEqualTo("third50");
        assertThat(text(joined, 79)).isEqualTo("third79");
        assertThat(text(joined, 80)).isEqualTo("second80");

        joined.apply(List.of(new Effect.Delete(key(10)), new Effect.Put(key(60), bytes("new"))), at(1));
        RangeStore again = open(
                KeyRange.ALL, counting(KeyRange.ALL, joined.checkpoint(files, 0).join()));
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
        StoredCheckpoint before = whole.checkpoint(files, 0).join();
        RangeStore left = open(low, counting(low, before));
        for (int i = 0; i < 50; i += 2) {
            left.apply(List.of(new Effect.Delete(key(i))), at(5000 + i));
        }
        StoredCheckpoint after = left.checkpoint(files, 0).join();

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
        StoredCheckpoint checkpoint = store.checkpoint(files, 0).join();
        assertThat(keys(open(KeyRange.ALL, counting(low, checkpoint), counting(high, checkpoint)), KeyRange.ALL))
                .hasSize(10);
    }

    @Test
    void anEmptyStoreHasACheckpointToo() {
        StoredCheckpoint checkpoint = open(KeyRange.ALL).checkpoint(files, 0).join();
        assertThat(checkpoint.position()).isNull();
        assertThat(keys(open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, checkpoint.files())), KeyRange.ALL))
                .isEmpty();
    }

    /** Checks that nothing is left of stores that did not open. */
    void assertNoStores() throws IOException {}

    @Test
    void aCheckpointThatLacksAFileOrHasAnIllNameDoesNotOpenAndLeavesNothingBehind() throws IOException {
        Manifest.File missing = new Manifest.File("000001.sst", "ranges/17.0/42-s1.9-none-1", 10);
        Manifest.File outside = new Manifest.File("../000001.sst", "ranges/17.0/42-s1.9-none-1", 0);
        for (Manifest.File bad : List.of(missing, outside)) {
            assertThatThrownBy(
                            () -> open(KeyRange.ALL, new Manifest.Checkpoint(KeyRange.ALL, Manifest.FileSet.of(bad))))
                    .isInstanceOf(CompletionException.class);
        }
        assertNoStores();
    }

    @Test
    void aCheckpointLeavesTheFilesOfOthersThatItMeets() throws IOException {
        String others = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong(uploadedBefore()))
                .next("checkpoint");
        dfs().create(others).join();
        RangeStore store = open(KeyRange.ALL);
        put(store, 0, 10, "v");
        assertThatThrownBy(() -> store.checkpoint(files, 0).join()).hasStackTraceContaining("EXISTS");
        assertThat(dfs().list("ranges/").join()).extracting(Dfs.FileInfo::path).containsExactly(others);
        assertThat(store.checkpoint(files, 0).join().files().stored()).isNotEmpty();
    }
}
