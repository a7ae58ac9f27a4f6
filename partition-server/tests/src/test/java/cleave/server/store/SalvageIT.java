package cleave.server.store;

import static cleave.server.store.DamagedFilesContract.assertKind;
import static cleave.server.store.DamagedFilesContract.largest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A salvage of stores whose files the DFS holds damaged reads all that can be read, and says what cannot. */
final class SalvageIT extends OnRocks {
    private static final int ENTITIES = 1_000;
    private static final int BLOCK = 16 << 10;

    private final TreeMap<Key, byte[]> written = new TreeMap<>();
    /** A block cache would still have what another store read of the same file when that was whole. */
    @Override
    long blockCacheBytes() {
        return 0;
    }

    private void put(RangeStore store, Key key, int seed) {
        byte[] entity = entity(seed);
        written.put(key, entity);
        apply(store, new Effect.Put(key, entity));
    }

    private void delete(RangeStore store, Key key) {
        written.remove(key);
        apply(store, new Effect.Delete(key));
    }

    private Manifest.FileSet filled() {
        RangeStore store = open();
        for (int i = 0; i < ENTITIES; i++) {
            put(store, key(i), i);
        }
        return checkpoint(store);
    }

    /** Walks over all entities, as queries do. */
    private static void walkAll(RangeStore store) {
        try (EntityCursor cursor = store.cursor(KeyRange.ALL)) {
            while (cursor.valid()) {
                cursor.next();
            }
        }
    }

    private static Manifest.File secondLargest(Manifest.FileSet files) {
        return files.stored().stream()
                .filter(file -> !file.equals(largest(files)))
                .max(Comparator.comparingLong(Manifest.File::length))
                .orElseThrow();
    }

    private Manifest.FileSet damaged(Manifest.FileSet files, Consumer<byte[]> damage) {
        return damaged(dfs, this.files, files, largest(files), damage);
    }

    /** The findings of a walk. */
    private record Met(Map<Key, byte[]> rows, List<KeyRange> unreadable) {
        boolean passedOver(Key key) {
            return unreadable.stream().anyMatch(each -> each.contains(key));
        }
    }

    /** @param most events, after which it ends */
    private static @Nullable Key walk(RangeStore store, KeyRange interval, int most, Met met) {
        try (EntityCursor cursor = store.salvage(interval)) {
            Key last = interval.start();
            for (int i = 0; cursor.valid(); i++, cursor.next()) {
                Key at = Key.wrap(cursor.key());
                assertThat(interval.contains(at)).isTrue();
                assertThat(at).isGreaterThanOrEqualTo(last);
                if (i >= most && at.compareTo(interval.start()) > 0) {
                    return at;
                }
                last = at;
                KeyRange passed = cursor.unreadable();
                if (passed == null) {
                    assertThat(met.rows.put(at, cursor.entity())).isNull();
                } else {
                    assertThat(interval.contains(passed)).isTrue();
                    assertThat(passed.start()).isEqualTo(at);
                    met.unreadable.add(passed);
                }
            }
            return null;
        }
    }

    /** Answers how many entities cannot be read. */
    private int assertSalvaged(RangeStore store) {
        return assertSalvaged(store, KeyRange.ALL, Integer.MAX_VALUE);
    }

    private int assertSalvaged(RangeStore store, KeyRange interval, int most) {
        Met met = new Met(new TreeMap<>(), new ArrayList<>());
        for (Key from = interval.start(); from != null; ) {
            from = walk(store, new KeyRange(from, interval.end()), most, met);
        }
        int missing = 0;
        for (Map.Entry<Key, byte[]> each : written.entrySet()) {
            if (!interval.contains(each.getKey())) {
                continue;
            }
            byte[] row = met.rows.remove(each.getKey());
            if (row != null) {
                assertThat(row).isEqualTo(each.getValue());
                continue;
            }
            missing++;
            assertThat(met.passedOver(each.getKey()))
                    .as("%s passed over", each.getKey())
                    .isTrue();
            assertKind(catchThrowable(() -> store.get(each.getKey())), StoreException.Kind.STORED_DAMAGE);
        }
        assertThat(met.rows).as("rows that were never written").isEmpty();
        return missing;
    }

    @Test
    void badBlocksCostTheirOwnEntitiesWhereverTheyLie() {
        Manifest.FileSet whole = filled();
        int length = (int) largest(whole).length();

        assertThat(assertSalvaged(open(damaged(whole, 100)))).as("the first").isBetween(60, 90);
        assertThat(assertSalvaged(open(damaged(whole, 100_000)))).isBetween(60, 90);
        assertThat(assertSalvaged(open(damaged(whole, 100_000, 100_000 + BLOCK))))
                .as("two adjacent ones")
                .isBetween(120, 180);
        assertThat(assertSalvaged(open(damaged(whole, 30_000, 80_000, 120_000, 160_000))))
                .isBetween(240, 360);
        assertThat(assertSalvaged(open(damaged(whole, length - 6_000))))
                .as("the last")
                .isBetween(1, 90);
        assertThat(assertSalvaged(open(damaged(whole, bytes -> Arrays.fill(bytes, 0, length - 6_000, (byte) 0)))))
                .as("all")
                .isEqualTo(ENTITIES);
    }

    /** The filter, the index, the properties and the footer are there. */
    @Test
    void whateverIsBadBehindTheEntitiesNothingIsLeftUntold() {
        Manifest.FileSet whole = filled();
        int length = (int) largest(whole).length();
        List<Integer> missing = new ArrayList<>();
        for (int at = length - 1; at > length - 4_500; at -= 197) {
            RangeStore store = open(damaged(whole, at));
            missing.add(assertSalvaged(store));
            close(store);
        }
        assertThat(missing).contains(0, ENTITIES);
    }

    @Test
    void pagesBeginAndEndInsideOfWhatCannotBeRead() {
        RangeStore store = open(damaged(filled(), 100, 100_000, 100_000 + BLOCK, 160_000));
        int missing = assertSalvaged(store);
        List<Key> unreadable = new ArrayList<>();
        for (Key key : written.keySet()) {
            try {
                store.get(key);
            } catch (StoreException damaged) {
                unreadable.add(key);
            }
        }
        assertThat(unreadable).hasSize(missing);

        assertThat(assertSalvaged(store, KeyRange.ALL, 7)).isEqualTo(missing);
        assertThat(assertSalvaged(store, KeyRange.ALL, 1)).isEqualTo(missing);
        Key first = unreadable.get(10);
        Key last = unreadable.get(missing - 10);
        assertThat(assertSalvaged(store, new KeyRange(first, last), 1_000)).isEqualTo(missing - 20);
        assertThat(assertSalvaged(store, new KeyRange(first, unreadable.get(11)), 1_000))
                .isEqualTo(1);
    }

    /** The new file lies over the whole old one, as that of random keys does. */
    @Test
    void ofFilesThatOverlapOnlyTheDamagedOnesEntitiesAreLost() {
        RangeStore first = open(filled());
        for (int i = 0; i < ENTITIES; i += 10) {
            put(first, key(i), i + 1); // Again.
            put(first, key(i).next(), i); // Between.
        }
        delete(first, key(501));
        Manifest.FileSet both = checkpoint(first);
        Manifest.File newer = secondLargest(both);
        int ofNewer = assertSalvaged(open(damaged(dfs, files, both, newer, bytes -> bytes[40_000] ^= 4)));
        int ofOlder = assertSalvaged(open(damaged(both, 100_000)));
        int withoutIndex =
                assertSalvaged(open(damaged(dfs, files, both, newer, bytes -> bytes[bytes.length - 1] ^= 1)));

        assertThat(ofNewer)
                .as("with a few that a Bloom filter takes for its own")
                .isBetween(40, 90);
        assertThat(ofOlder).isBetween(50, 90);
        assertThat(withoutIndex).as("any key might be in it").isGreaterThan(ENTITIES);
    }

    @Test
    void filesOutsideOfOneWithoutItsIndexAreReadByQueriesToo() {
        RangeStore first = open(filled());
        for (int i = ENTITIES; i < ENTITIES + 100; i++) {
            put(first, key(i), i);
        }
        Manifest.File newer = secondLargest(checkpoint(first));
        RangeStore store = open(damaged(dfs, files, checkpoint(first), newer, bytes -> bytes[bytes.length - 1] ^= 1));

        assertThat(assertSalvaged(store)).isEqualTo(100);
        try (EntityCursor cursor = store.cursor(new KeyRange(key(0), key(ENTITIES - 1)))) {
            for (int i = 0; i < ENTITIES - 1; i++, cursor.next()) {
                assertThat(cursor.valid()).isTrue();
                assertThat(Key.wrap(cursor.key())).isEqualTo(key(i));
            }
        }
    }

    @Test
    void outsideOfAFileWithoutItsIndexAllIsRead() {
        RangeStore first = open(filled());
        for (int i = 500; i < 600; i++) {
            put(first, key(i), i + 1);
        }
        Manifest.FileSet both = checkpoint(first);
        Manifest.File newer = secondLargest(both);
        RangeStore store = open(damaged(dfs, files, both, newer, bytes -> bytes[bytes.length - 1] ^= 1));

        assertThat(assertSalvaged(store)).isEqualTo(100);
    }

    /** The store is that of a range that was split: opening it checks at both ends whether its files hold other keys. */
    @Test
    void aStoreOfAPartOpensWhateverIsDamaged() {
        Manifest.FileSet whole = filled();
        int length = (int) largest(whole).length();
        KeyRange part = new KeyRange(Key.beforePartition(7, "p00010"), Key.beforePartition(7, "p00990"));
        written.headMap(part.start()).clear();
        written.tailMap(Key.beforePartition(7, "p00990")).clear();
        for (int at : new int[] {100, length - 6_000, length - 1}) {
            assertThat(assertSalvaged(open(part, damaged(whole, at)), part, Integer.MAX_VALUE))
                    .isPositive();
        }
    }

    @Test
    void whatWasWrittenSinceIsReadToo() {
        RangeStore store = open(damaged(filled(), 60_000, 150_000));
        int missing = assertSalvaged(store);
        for (int i = 0; i < ENTITIES; i += 5) {
            put(store, key(i), i + 7);
        }
        for (int i = 2; i < ENTITIES; i += 50) {
            delete(store, key(i));
        }
        for (int i = ENTITIES; i < ENTITIES + 300; i++) {
            put(store, key(i), i);
        }

        assertThatThrownBy(() -> walkAll(store)).isInstanceOf(StoreException.class);
        int left = assertSalvaged(store);
        assertThat(left).isBetween(missing / 2, missing - missing / 6);
        RangeStore later = open(checkpoint(store)); // Now in a file.
        assertThat(assertSalvaged(later)).isEqualTo(left);
    }

    /** The operator drops it after copying what can be read. */
    @Test
    void aTableThatIsDroppedTakesItsDamagedFilesWithIt() {
        RangeStore store = open(damaged(filled(), 100_000));
        written.clear();
        apply(store, new Effect.DropTable(7));
        store.compact(KeyRange.ofTable(7)).join();
        for (int i = 0; i < 10; i++) {
            put(store, Key.of(8, "p%05d".formatted(i), "r"), i);
        }

        RangeStore later = open(checkpoint(store));
        assertThat(later.damagedFiles()).isEmpty();
        assertThat(assertSalvaged(later)).isZero();
    }

    @Test
    void itReadsWhatThereWasWhenItBegan() {
        RangeStore store = open(damaged(filled(), 100_000));
        put(store, key(9_000), 1);
        try (EntityCursor cursor = store.salvage(KeyRange.ALL)) {
            apply(store, new Effect.Put(key(9_001), new byte[] {1}));
            apply(store, new Effect.Delete(key(9_000)));
            store.checkpoint(files, 8 << 10).join();
            List<Key> keys = new ArrayList<>();
            for (; cursor.valid(); cursor.next()) {
                keys.add(Key.wrap(cursor.key()));
            }
            assertThat(keys).contains(key(9_000)).doesNotContain(key(9_001));
        }
    }

    @Test
    void longKeysThatDifferLateAreToldApart() {
        RangeStore store = open();
        String same = "k".repeat(500);
        for (int i = 0; i < ENTITIES; i++) {
            put(store, Key.of(7, same, same + "%04d".formatted(i)), i);
        }

        assertThat(assertSalvaged(open(damaged(checkpoint(store), 40_000, 90_000))))
                .isPositive()
                .isLessThan(ENTITIES / 2);
    }

    @Test
    void rotOfALocalFileIsNotPassedOver() throws IOException {
        RangeStore store = open(filled());
        Path local = sortedFile(folder.resolve("stores/store-2"));
        for (long at = 100; at < Files.size(local) - 6_000; at += BLOCK) {
            flip(local, at);
        }

        assertKind(catchThrowable(() -> assertSalvaged(store)), StoreException.Kind.LOCAL_DAMAGE);
    }
}
