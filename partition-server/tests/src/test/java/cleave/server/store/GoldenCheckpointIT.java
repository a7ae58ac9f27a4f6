package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.formats.GoldenFormat;
import cleave.model.Key;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A checkpoint that an earlier version made, with the RocksDB of its time, opens with the present one. */
class GoldenCheckpointIT extends OnRocks {
    private static final LogPosition POSITION = new LogPosition("ranges/17.0/42-s1.9-log-1", 4_096, 11);
    private static final Key A = Key.of(7, "p", "a");
    private static final Key B = Key.of(7, "p", "b");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the files that are kept when a version gets its golden files: RocksDB names itself and the time in them. */
    private void makeIfAsked(GoldenFormat golden) {
        if (!Boolean.getBoolean("golden.new")) {
            return;
        }
        RangeStore store = open();
        store.apply(List.of(new Effect.Put(A, bytes("one")), new Effect.Put(B, bytes("two"))), POSITION);
        StoredCheckpoint made = store.checkpoint(files, 0).join();
        for (Manifest.File file : made.files().stored()) {
            golden.keep(
                    file.localName(),
                    dfs.read(file.path(), 0, Math.toIntExact(file.length()))
                            .join()
                            .toByteArray());
        }
    }

    @Test
    void checkpointOfAnEarlierVersionIsOpened() {
        GoldenFormat golden = GoldenFormat.of("store-checkpoint", 1);
        makeIfAsked(golden);
        List<Manifest.File> stored = new ArrayList<>();
        for (Map.Entry<String, byte[]> kept : golden.files().entrySet()) {
            String path = "kept/" + kept.getKey();
            dfs.create(path)
                    .join()
                    .append(UnsafeByteOperations.unsafeWrap(kept.getValue()))
                    .join();
            dfs.seal(path).join();
            stored.add(new Manifest.File(kept.getKey(), path, kept.getValue().length));
        }
        RangeStore store = open(new Manifest.FileSet(stored, List.of()));
        assertThat(store.position()).isEqualTo(POSITION);
        assertThat(store.get(A)).isEqualTo(bytes("one"));
        assertThat(store.get(B)).isEqualTo(bytes("two"));
    }
}
