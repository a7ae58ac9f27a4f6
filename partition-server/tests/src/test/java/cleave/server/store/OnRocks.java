package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsFile;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.FolderTree;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Stores on a real RocksDB, their checkpoints in a real DFS. */
abstract class OnRocks {
    @TempDir
    Path folder;

    final RangeFiles files = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong());
    final List<RangeStore> opened = new ArrayList<>();
    Dfs dfs;
    RocksRangeStores stores;
    private long offset;

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        stores = newStores();
    }

    RocksRangeStores newStores() {
        return new RocksRangeStores(
                folder.resolve("stores"),
                folder.resolve("cached"),
                new FileTransfer(asRead(dfs)),
                new RocksRangeStores.Sizes(blockCacheBytes(), 8 << 20, 2, 0));
    }

    long blockCacheBytes() {
        return 16 << 20;
    }

    /** The DFS, as the stores see it. */
    Dfs asRead(Dfs whole) {
        return whole;
    }

    @AfterEach
    void end() {
        endStores();
        dfs.close();
    }

    void endStores() {
        opened.forEach(RangeStore::close);
        opened.clear();
        stores.close();
    }

    /** All stores are closed, and those to come find no files on their disk, as at another server. */
    void onAnEmptyDisk() throws IOException {
        endStores();
        FolderTree.deleteIfExists(folder.resolve("cached"));
        stores = newStores();
    }

    RangeStore open(Manifest.FileSet... checkpoints) {
        return open(KeyRange.ALL, checkpoints);
    }

    RangeStore open(KeyRange interval, Manifest.FileSet... checkpoints) {
        List<Manifest.Checkpoint> all = Stream.of(checkpoints)
                .map(each -> new Manifest.Checkpoint(interval, each))
                .toList();
        RangeStore store = stores.open(interval, all, bytes -> {}).join();
        opened.add(store);
        return store;
    }

    void close(RangeStore store) {
        opened.remove(store);
        store.close();
    }

    static Key key(int number) {
        return Key.of(7, "p%05d".formatted(number), "r");
    }

    /** Bytes that do not compress, so that they fill many blocks. */
    static byte[] entity(int seed) {
        byte[] bytes = new byte[200];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    void apply(RangeStore store, Effect effect) {
        offset += 10;
        store.apply(List.of(effect), new LogPosition("ranges/17.0/42-s1.9-log-1", offset, offset / 10));
    }

    /** Makes a checkpoint with small files inline. */
    Manifest.FileSet checkpoint(RangeStore store) {
        return store.checkpoint(files, 8 << 10).join().files();
    }

    /** The same checkpoint, but instead of one file it names another whose bytes are no longer those that were sent. */
    static Manifest.FileSet damaged(
            Dfs dfs, RangeFiles files, Manifest.FileSet checkpoint, Manifest.File file, Consumer<byte[]> damage) {
        byte[] bytes = dfs.read(file.path(), 0, (int) file.length()).join().toByteArray();
        damage.accept(bytes);
        String path = files.next("checkpoint");
        DfsFile copy = dfs.create(path).join();
        copy.append(ByteString.copyFrom(bytes)).join();
        dfs.seal(path).join();
        copy.close();
        List<Manifest.File> stored = new ArrayList<>(checkpoint.stored());
        stored.replaceAll(each ->
                each.equals(file) ? new Manifest.File(each.localName(), path, each.length(), each.checksum()) : each);
        return new Manifest.FileSet(stored, checkpoint.inline());
    }

    /** The same checkpoint with flipped bits in its largest file. */
    Manifest.FileSet damaged(Manifest.FileSet checkpoint, int... places) {
        return damaged(dfs, files, checkpoint, DamagedFilesContract.largest(checkpoint), bytes -> {
            for (int at : places) {
                bytes[at] ^= 4;
            }
        });
    }

    /** The largest sorted file of a store. */
    static Path sortedFile(Path store) {
        try (Stream<Path> all = Files.list(store.resolve("db"))) {
            return all.filter(each -> each.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(OnRocks::size))
                    .orElseThrow();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The size of a file, which may be gone by now. */
    static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException gone) {
            return -1;
        }
    }

    static void flip(Path file, long at) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1 << at % 8)}), at);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
