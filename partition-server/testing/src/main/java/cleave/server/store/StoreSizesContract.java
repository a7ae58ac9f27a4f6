package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.state.Effect;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The part of the contract of stores that is about sizes: of the whole, of its halves, of each table. */
abstract class StoreSizesContract extends StoreFixture {
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
}
