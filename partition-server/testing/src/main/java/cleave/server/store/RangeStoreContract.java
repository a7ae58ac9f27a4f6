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
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The contract of every implementation of the stores: it narrows to an interval, drops tables, keeps positions, joins checkpoints. */
abstract class RangeStoreContract extends StoreSizesContract {
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
