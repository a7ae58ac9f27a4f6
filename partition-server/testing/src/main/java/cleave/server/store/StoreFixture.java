package cleave.server.store;

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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Stores under test, and what their contract does with them. */
abstract class StoreFixture {
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

    /** Checks that nothing is left of stores that did not open. */
    void assertNoStores() throws IOException {}
}
