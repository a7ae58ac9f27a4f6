package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.manifest.Manifest;
import cleave.runtime.files.FolderTree;
import cleave.server.dfs.FileTransfer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class FileCacheTest {
    private static final long MANY = 1L << 40;

    @TempDir
    private Path folder;

    /** What the DFS has, by path. */
    private final Map<String, String> stored = new TreeMap<>();

    private final List<String> fetched = new ArrayList<>();
    private FileCache cache;
    private int stores;

    @BeforeEach
    void begin() throws IOException {
        cache = new FileCache(folder.resolve("cached"));
    }

    private Manifest.File file(int number, String content) {
        String path = "ranges/17.0/42-s1.9-checkpoint-" + number;
        stored.put(path, content);
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return new Manifest.File("%06d.sst".formatted(number), path, bytes.length, FileTransfer.checksum(bytes));
    }

    private Path store() {
        try {
            return Files.createDirectory(folder.resolve("store-" + ++stores));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private FileCache.Fetch into(Path store) {
        return files -> {
            for (Manifest.File each : files) {
                fetched.add(each.path());
                Files.writeString(store.resolve(each.localName()), stored.get(each.path()));
            }
            return List.of();
        };
    }

    /** The folder of a new store with these files. */
    private Path bring(Manifest.File... files) throws IOException {
        Path store = store();
        assertThat(cache.bring(List.of(files), store, into(store), bytes -> {})).isEmpty();
        for (Manifest.File each : files) {
            assertThat(store.resolve(each.localName())).hasContent(stored.get(each.path()));
        }
        return store;
    }

    private List<Path> cached() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("cached"))) {
            return all.sorted().toList();
        }
    }

    @Test
    void aFileIsFetchedOnceAndThereOnce() throws IOException {
        Manifest.File one = file(1, "one");
        Manifest.File two = file(2, "two");

        Path first = bring(one);
        Path second = bring(one, two);

        assertThat(fetched).containsExactly(one.path(), two.path());
        assertThat(Files.isSameFile(first.resolve("000001.sst"), second.resolve("000001.sst")))
                .isTrue();
    }

    @Test
    void whatComesWithoutBeingFetchedCountsAsProgress() throws IOException {
        Manifest.File one = file(1, "one");
        bring(one);
        List<Long> progress = new ArrayList<>();
        Path store = store();

        cache.bring(List.of(one), store, into(store), progress::add);

        assertThat(progress).containsExactly(3L);
    }

    @Test
    void aFileOutlivesItsStoresAndTheProcess() throws IOException {
        Manifest.File one = file(1, "one");
        FolderTree.deleteIfExists(bring(one));
        Files.writeString(folder.resolve("cached/torn.sst.coming"), "on");

        cache = new FileCache(folder.resolve("cached"));
        bring(one);

        assertThat(fetched).containsExactly(one.path());
        assertThat(cached()).hasSize(1);
    }

    @Test
    void aFileThatHasRottedIsFetchedAgain() throws IOException {
        Manifest.File one = file(1, "one");
        Path rotten = bring(one).resolve("000001.sst");
        Files.writeString(cached().get(0), "onf");
        assertThat(rotten).as("they are one file").hasContent("onf");

        bring(one);
        bring(one);

        assertThat(fetched).containsExactly(one.path(), one.path());
        assertThat(rotten).as("that of the store is left to the store").hasContent("onf");
    }

    @Test
    void aFileThatIsCutOffIsFetchedAgain() throws IOException {
        Manifest.File one = file(1, "one");
        bring(one);
        Files.writeString(cached().get(0), "on");

        bring(one);

        assertThat(fetched).hasSize(2);
    }

    /** A folder may have served another cluster, which had the same paths. */
    @Test
    void anotherFileOfThePathIsNotTaken() throws IOException {
        bring(file(1, "one"));

        bring(file(1, "two"));

        assertThat(fetched).hasSize(2);
    }

    @Test
    void whatTheDfsHoldsDamagedIsNotKept() throws IOException {
        Manifest.File one = file(1, "one");
        Path store = store();
        FileCache.Fetch damaged = files -> {
            Files.writeString(store.resolve("000001.sst"), "onf");
            return files;
        };

        assertThat(cache.bring(List.of(one), store, damaged, bytes -> {})).containsExactly(one);

        assertThat(cached()).isEmpty();
    }

    @Test
    void ofTwoThatWantAFileOneFetchesItAndTheOtherWaits() throws Exception {
        Manifest.File one = file(1, "one");
        Manifest.File two = file(2, "two");
        Fetching first = new Fetching(one);
        Thread other = new Thread(() -> bringQuietly(one, two));
        other.start();
        first.untilItWaits(other);

        first.go.countDown();
        first.done.get();
        other.join();

        assertThat(fetched).containsExactlyInAnyOrder(one.path(), two.path());
    }

    @Test
    void ifTheFirstFailsTheOtherOneFetchesTheFile() throws Exception {
        Manifest.File one = file(1, "one");
        Fetching first = new Fetching(one);
        first.fails = true;
        Thread other = new Thread(() -> bringQuietly(one));
        other.start();
        first.untilItWaits(other);

        first.go.countDown();
        assertThatThrownBy(first.done::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("broken");
        other.join();

        assertThat(fetched).containsExactly(one.path());
    }

    private void bringQuietly(Manifest.File... files) {
        try {
            bring(files);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A fetch of a file that has begun, and ends when it is told to. */
    private final class Fetching {
        final CountDownLatch go = new CountDownLatch(1);
        final CompletableFuture<Void> done;
        volatile boolean fails;

        Fetching(Manifest.File file) throws InterruptedException {
            CountDownLatch begun = new CountDownLatch(1);
            Path store = store();
            done = CompletableFuture.runAsync(() -> {
                try {
                    cache.bring(
                            List.of(file),
                            store,
                            files -> {
                                begun.countDown();
                                await();
                                return into(store).fetch(files);
                            },
                            bytes -> {});
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            });
            begun.await();
        }

        private void await() throws IOException {
            try {
                go.await();
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
            if (fails) {
                throw new IOException("broken");
            }
        }

        /** Bounded by the timeout of the test. */
        void untilItWaits(Thread other) throws InterruptedException {
            while (other.getState() != Thread.State.WAITING) {
                assertThat(other.isAlive()).as("it has waited for the first").isTrue();
                Thread.sleep(1);
            }
        }
    }

    @Test
    void filesThatNoStoreHasGoByTheirLastUseWhenRoomIsScarce() throws IOException {
        Path held = bring(file(1, "12345678"));
        for (int i = 2; i <= 4; i++) {
            FolderTree.deleteIfExists(bring(file(i, "12345678")));
        }
        long used = 1_000;
        for (Path each : cached()) {
            Files.setLastModifiedTime(each, FileTime.fromMillis(used += 1_000));
        }
        FolderTree.deleteIfExists(bring(file(2, "12345678"))); // Used again.

        cache.sweep(168, 30); // A quarter of what would be free is 48; without the reserve, two files and a bit.

        assertThat(cached()).extracting(path -> path.getFileName().toString()).noneMatch(name -> name.contains("-3."));
        assertThat(cached()).hasSize(3);
        assertThat(cache.idleBytes()).isEqualTo(16);
        cache.sweep(0, MANY);
        assertThat(cached()).as("what a store has costs nothing").hasSize(1);
        assertThat(held.resolve("000001.sst")).hasContent("12345678");
        assertThat(cache.idleBytes()).isZero();
    }

    @Test
    void outdatedFilesGoWhenNoStoreHasThemAnyMore() throws IOException {
        Manifest.File one = file(1, "one");
        Manifest.File two = file(2, "two");
        Path store = bring(one, two);
        Files.delete(store.resolve("000001.sst"));

        cache.outdated(List.of(one.path(), two.path(), "ranges/17.0/42-s1.9-checkpoint-never"));
        assertThat(cached()).hasSize(1);
        FolderTree.deleteIfExists(store);
        cache.sweep(MANY, 0);

        assertThat(cached()).isEmpty();
    }

    @Test
    void whatIsUsedAgainIsNotOutdated() throws IOException {
        Manifest.File one = file(1, "one");
        bring(one);
        cache.outdated(List.of(one.path()));
        Path part = bring(one);
        FolderTree.deleteIfExists(part);
        FolderTree.deleteIfExists(folder.resolve("store-1"));

        cache.sweep(MANY, 0);

        assertThat(cached()).hasSize(1);
    }

    @Test
    void withoutHardLinksFilesAreCopied() throws IOException {
        cache = new FileCache(folder.resolve("cached"), (link, existing) -> {
            throw new UnsupportedOperationException("no links");
        });
        Manifest.File one = file(1, "one");

        Path first = bring(one);
        Path second = bring(one);

        assertThat(fetched).containsExactly(one.path());
        assertThat(Files.isSameFile(first.resolve("000001.sst"), second.resolve("000001.sst")))
                .isFalse();
        assertThat(cached()).hasSize(1);
    }

    @Test
    void aCacheThatIsGoneFailsNobody() throws IOException {
        Manifest.File one = file(1, "one");
        bring(one);
        FolderTree.deleteIfExists(folder.resolve("cached"));

        bring(one);
        cache.outdated(List.of(one.path()));
        cache.sweep(MANY, 0);

        assertThat(fetched).hasSize(2);
    }
}
