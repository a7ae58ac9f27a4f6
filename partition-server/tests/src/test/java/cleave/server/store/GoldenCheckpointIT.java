package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.formats.GoldenFormat;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import io.prometheus.client.CollectorRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint that an earlier version made, with the RocksDB of its time, opens with the present one. */
class GoldenCheckpointIT {
    private static final LogPosition POSITION = new LogPosition("ranges/17.0/42-s1.9-log-1", 4_096, 11);
    private static final Key A = Key.of(7, "p", "a");
    private static final Key B = Key.of(7, "p", "b");

    @TempDir
    private Path folder;

    private Dfs dfs;
    private RocksRangeStores stores;

    @BeforeEach
    void begin() {
        dfs = DfsClients.open("file:" + folder.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        stores = new RocksRangeStores(
                folder.resolve("stores"), new FileTransfer(dfs), new RocksRangeStores.Sizes(8 << 20, 4 << 20, 2, 0));
    }

    @AfterEach
    void end() {
        stores.close();
        dfs.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the files that are kept when a version gets its golden files: RocksDB names itself and the time in them. */
    private void makeIfAsked(GoldenFormat golden) {
        if (!Boolean.getBoolean("golden.new")) {
            return;
        }
        RangeStore store = stores.open(KeyRange.ALL, List.of(), bytes -> {}).join();
        store.apply(List.of(new Effect.Put(A, bytes("one")), new Effect.Put(B, bytes("two"))), POSITION);
        RangeFiles files = new RangeFiles(17 << 12, 42, new Incarnation("s1", 9), new AtomicLong());
        StoredCheckpoint made = store.checkpoint(files, 0).join();
        for (Manifest.File file : made.files().stored()) {
            golden.keep(
                    file.localName(),
                    dfs.read(file.path(), 0, Math.toIntExact(file.length()))
                            .join()
                            .toByteArray());
        }
        store.close();
    }

    @Test
    void checkpointOfAnEarlierVersionIsOpened() {
        GoldenFormat golden = GoldenFormat.of("store-checkpoint", 1);
        makeIfAsked(golden);
        List<Manifest.File> files = new ArrayList<>();
        for (Map.Entry<String, byte[]> kept : golden.files().entrySet()) {
            String path = "kept/" + kept.getKey();
            dfs.create(path)
                    .join()
                    .append(UnsafeByteOperations.unsafeWrap(kept.getValue()))
                    .join();
            dfs.seal(path).join();
            files.add(new Manifest.File(kept.getKey(), path, kept.getValue().length));
        }
        RangeStore store = stores.open(
                        KeyRange.ALL,
                        List.of(new Manifest.Checkpoint(KeyRange.ALL, new Manifest.FileSet(files, List.of()))),
                        bytes -> {})
                .join();
        assertThat(store.position()).isEqualTo(POSITION);
        assertThat(store.get(A)).isEqualTo(bytes("one"));
        assertThat(store.get(B)).isEqualTo(bytes("two"));
        store.close();
    }
}
