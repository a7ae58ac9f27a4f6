package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import cleave.server.state.Effect;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What stores read from the DFS, and what they find on their disk. */
final class SharedFilesIT extends OnRocks {
    private static final int ENTITIES = 2_000;
    private static final KeyRange LEFT = new KeyRange(KeyRange.ALL.start(), key(1_000));
    private static final KeyRange RIGHT = new KeyRange(key(1_000), null);

    private static final List<KeyRange> THIRDS = List.of(
            new KeyRange(KeyRange.ALL.start(), key(1_200)),
            new KeyRange(key(1_200), key(2_200)),
            new KeyRange(key(2_200), null));

    /** Bytes asked for, by path. */
    private final Map<String, Long> read = new ConcurrentHashMap<>();

    @Override
    Dfs asRead(Dfs whole) {
        return (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("read")) {
                        read.merge((String) arguments[0], (long) (int) arguments[2], Long::sum);
                    }
                    return called.invoke(whole, arguments);
                });
    }

    /** A checkpoint of a store that is closed again. */
    private Manifest.FileSet written() {
        RangeStore store = open();
        for (int i = 0; i < ENTITIES; i++) {
            apply(store, new Effect.Put(key(i), entity(i)));
        }
        Manifest.FileSet checkpoint = checkpoint(store);
        close(store);
        return checkpoint;
    }

    private void restart() {
        endStores();
        stores = newStores();
    }

    private static Map<String, Long> sorted(Manifest.FileSet checkpoint) {
        return checkpoint.stored().stream()
                .filter(RocksCheckpoints::isSorted)
                .collect(Collectors.toMap(Manifest.File::path, Manifest.File::length));
    }

    private List<Path> cached() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("cached"))) {
            return all.toList();
        }
    }

    private static void assertHolds(RangeStore store, int first, int last) {
        for (int i = first; i < last; i++) {
            assertThat(store.get(key(i))).isEqualTo(entity(i));
        }
    }

    @Test
    void twoPartsOfASplitReadEachFileOnce() throws IOException {
        Manifest.FileSet checkpoint = written();
        onAnEmptyDisk();
        CompletableFuture<RangeStore> left =
                stores.open(LEFT, List.of(new Manifest.Checkpoint(LEFT, checkpoint)), bytes -> {});
        CompletableFuture<RangeStore> right =
                stores.open(RIGHT, List.of(new Manifest.Checkpoint(RIGHT, checkpoint)), bytes -> {});
        opened.addAll(List.of(left.join(), right.join()));

        assertHolds(opened.get(0), 0, 1_000);
        assertHolds(opened.get(1), 1_000, ENTITIES);
        assertThat(read).isEqualTo(sorted(checkpoint));
    }

    @Test
    void partsOnTheServerThatMadeTheCheckpointReadNothing() {
        Manifest.FileSet checkpoint = written();

        assertHolds(open(LEFT, checkpoint), 0, 1_000);
        assertHolds(open(RIGHT, checkpoint), 1_000, ENTITIES);
        assertThat(read).isEmpty();
    }

    @Test
    void aRestartWithAWarmDiskReadsNothing() {
        Manifest.FileSet checkpoint = written();
        restart();

        assertHolds(open(checkpoint), 0, ENTITIES);
        assertThat(read).isEmpty();
    }

    /** Its bad copy neither reaches readers nor is it uploaded. */
    @Test
    void aFileThatRottedOnTheDiskIsReadFromTheDfs() throws IOException {
        Manifest.FileSet checkpoint = written();
        endStores();
        for (Path each : cached()) {
            flip(each, Files.size(each) / 3);
        }
        stores = newStores();

        RangeStore store = open(checkpoint);

        assertHolds(store, 0, ENTITIES);
        assertThat(store.damagedFiles()).isEmpty();
        assertThat(read).isEqualTo(sorted(checkpoint));
        apply(store, new Effect.Put(key(0), entity(9)));
        Manifest.FileSet next = checkpoint(store);
        onAnEmptyDisk();
        assertHolds(open(next), 1, ENTITIES);
    }

    @Test
    void whatCompactionsReplaceDoesNotStayOnTheDisk() throws IOException {
        RangeStore store = open();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 200; i++) {
                apply(store, new Effect.Put(key(i), entity(round)));
            }
            store.checkpoint(files, 8 << 10).join();
            store.compact(KeyRange.ALL).join();
        }
        Manifest.FileSet last = checkpoint(store);
        stores.space();
        close(store);
        restart();

        assertThat(cached()).hasSizeLessThanOrEqualTo(sorted(last).size() + 1);
        assertThat(open(last).get(key(7))).isEqualTo(entity(4));
        assertThat(read).isEmpty();
    }

    /** Three files of entities, one for each third. The two that came by a join lie below level 0. */
    private Manifest.FileSet ofThirds() {
        List<Manifest.Checkpoint> thirds = new ArrayList<>();
        int first = 0;
        for (int last : new int[] {1_200, 2_200, 3_200}) {
            RangeStore store = open();
            for (int i = first; i < last; i++) {
                apply(store, new Effect.Put(key(i), large(i)));
            }
            thirds.add(new Manifest.Checkpoint(THIRDS.get(thirds.size()), checkpoint(store)));
            close(store);
            first = last;
        }
        RangeStore joined = stores.open(KeyRange.ALL, thirds, bytes -> {}).join();
        Manifest.FileSet checkpoint = checkpoint(joined);
        joined.close();
        return checkpoint;
    }

    private static byte[] large(int seed) {
        byte[] bytes = new byte[4_000];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void assertHoldsLarge(RangeStore store, int first, int last) {
        for (int i = first; i < last; i++) {
            assertThat(store.get(key(i))).as("entity %s", i).isEqualTo(large(i));
        }
    }

    /** The file of the last third. */
    private static Manifest.File last(Manifest.FileSet checkpoint) {
        return checkpoint.stored().stream()
                .filter(file -> RocksCheckpoints.isSorted(file) && file.length() > 1 << 20)
                .max(Comparator.comparing(Manifest.File::localName))
                .orElseThrow();
    }

    @Test
    void aPartOfASplitCopiesOnlyTheFilesThatHaveSomeOfItsKeys() throws IOException {
        Manifest.FileSet checkpoint = ofThirds();
        onAnEmptyDisk();
        KeyRange part = new KeyRange(key(1_300), key(1_500));

        RangeStore store = open(part, checkpoint);

        Map<String, Long> needed = new TreeMap<>(sorted(checkpoint));
        needed.remove(last(checkpoint).path());
        assertThat(read).isEqualTo(needed);
        assertHoldsLarge(store, 1_300, 1_500);
        assertThat(store.position()).isNotNull();
        apply(store, new Effect.Put(key(1_300), entity(1)));
        Manifest.FileSet next = checkpoint(store);
        assertThat(sorted(next)).doesNotContainKey(last(checkpoint).path());
        onAnEmptyDisk();
        RangeStore again = open(part, next);
        assertThat(again.get(key(1_300))).isEqualTo(entity(1));
        assertHoldsLarge(again, 1_301, 1_500);
    }

    @Test
    void aStoreOfAllPartsHasAllTheirEntities() throws IOException {
        Manifest.FileSet checkpoint = ofThirds();
        onAnEmptyDisk();

        RangeStore store = stores.open(
                        KeyRange.ALL,
                        THIRDS.stream()
                                .map(each -> new Manifest.Checkpoint(each, checkpoint))
                                .toList(),
                        bytes -> {})
                .join();
        opened.add(store);

        assertHoldsLarge(store, 0, 3_200);
        assertThat(read).as("each file was read once").isEqualTo(sorted(checkpoint));
    }

    @Test
    void damageOfAFileThatAPartDoesNotNeedIsNotItsOwn() throws IOException {
        Manifest.FileSet checkpoint = ofThirds();
        Manifest.FileSet damaged = damaged(dfs, files, checkpoint, last(checkpoint), bytes -> bytes[50_000] ^= 4);
        onAnEmptyDisk();

        assertThat(open(THIRDS.get(1), damaged).damagedFiles()).isEmpty();
        assertThat(open(THIRDS.get(2), damaged).damagedFiles()).hasSize(1);
    }
}
