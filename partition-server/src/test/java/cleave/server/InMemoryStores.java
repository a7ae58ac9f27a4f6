package cleave.server;

import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Space;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Stores in memory whose checkpoints are files in an {@link InMemoryDfs}. Confined to the test's thread. */
final class InMemoryStores implements RangeStores {
    private int compactions;
    private final InMemoryDfs dfs;
    private final Map<String, Map<Key, byte[]>> checkpoints;

    private final List<CompletableFuture<Void>> heldCheckpoints = new ArrayList<>();
    private boolean checkpointsHeld;
    private final List<CompletableFuture<Void>> heldOpens = new ArrayList<>();
    private boolean opensHeld;
    boolean opensFail;
    boolean checkpointsFail;
    long freeBytes = 100 << 20;
    boolean fails;
    int open;

    /** The checkpoints are known to all servers of a test, as what lies in the DFS is. */
    InMemoryStores(InMemoryDfs dfs, Map<String, Map<Key, byte[]>> checkpoints) {
        this.dfs = dfs;
        this.checkpoints = checkpoints;
    }

    /** Stores are on their way until released. */
    void holdOpens() {
        opensHeld = true;
    }

    void releaseOpens() {
        opensHeld = false;
        List<CompletableFuture<Void>> held = List.copyOf(heldOpens);
        heldOpens.clear();
        held.forEach(each -> each.complete(null));
    }

    void holdCheckpoints() {
        checkpointsHeld = true;
    }

    void releaseCheckpoints() {
        checkpointsHeld = false;
        List<CompletableFuture<Void>> held = List.copyOf(heldCheckpoints);
        heldCheckpoints.clear();
        held.forEach(each -> each.complete(null));
    }

    @Override
    public CompletableFuture<RangeStore> open(KeyRange interval, List<Manifest.Checkpoint> opened) {
        Store store = new Store(interval);
        for (Manifest.Checkpoint checkpoint : opened) {
            for (Manifest.File file : checkpoint.files()) {
                if (dfs.paths(file.path()).isEmpty()) {
                    return CompletableFuture.failedFuture(
                            new StoreException("no file " + file.path(), new IllegalStateException()));
                }
                Map<Key, byte[]> all = checkpoints.get(file.path());
                if (all == null) {
                    throw new AssertionError("no checkpoint " + file.path());
                }
                all.forEach((key, entity) -> {
                    if (checkpoint.interval().contains(key)) {
                        store.entities.put(key, entity);
                    }
                });
            }
        }
        if (opensFail) {
            return CompletableFuture.failedFuture(new StoreException("no room", new IllegalStateException()));
        }
        CompletableFuture<Void> held = new CompletableFuture<>();
        if (opensHeld) {
            heldOpens.add(held);
        } else {
            held.complete(null);
        }
        return held.thenApply(nothing -> {
            open++;
            return store;
        });
    }

    @Override
    public Space space() {
        return new Space(freeBytes, 10 << 20);
    }

    int compactions() {
        return compactions;
    }

    private final class Store implements RangeStore {
        private final KeyRange interval;
        private final TreeMap<Key, byte[]> entities = new TreeMap<>();
        private @Nullable LogPosition position;
        private boolean closed;

        Store(KeyRange interval) {
            this.interval = interval;
        }

        private void check() {
            if (closed) {
                throw new AssertionError("store of " + interval + " is closed");
            }
            if (fails) {
                throw new StoreException("the medium fails", new IllegalStateException());
            }
        }

        @Override
        public byte @Nullable [] get(Key key) {
            check();
            return entities.get(key);
        }

        @Override
        public void apply(List<Effect> effects, LogPosition behind) {
            check();
            for (Effect effect : effects) {
                if (effect instanceof Effect.Put put) {
                    entities.put(put.key(), put.entity());
                } else if (effect instanceof Effect.Delete delete) {
                    entities.remove(delete.key());
                } else {
                    KeyRange table = KeyRange.ofTable(effect.table());
                    entities.keySet().removeIf(table::contains);
                }
            }
            position = behind;
        }

        @Override
        public @Nullable LogPosition position() {
            return position;
        }

        @Override
        public EntityCursor cursor(KeyRange wanted) {
            check();
            NavigableMap<Key, byte[]> from = new TreeMap<>(entities).tailMap(wanted.start(), true);
            return new Cursor((wanted.end() == null ? from : from.headMap(wanted.end(), false))
                    .entrySet()
                    .iterator());
        }

        @Override
        public CompletableFuture<Void> compact(KeyRange wanted) {
            compactions++;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files) {
            check();
            if (checkpointsFail) {
                return CompletableFuture.failedFuture(new StoreException("no room", new IllegalStateException()));
            }
            TreeMap<Key, byte[]> taken = new TreeMap<>(entities);
            LogPosition at = position;
            CompletableFuture<Void> held = new CompletableFuture<>();
            if (checkpointsHeld) {
                heldCheckpoints.add(held);
            } else {
                held.complete(null);
            }
            return held.thenCompose(nothing -> {
                String path = files.next("checkpoint");
                checkpoints.put(path, taken);
                return dfs.create(path)
                        .thenCompose(file -> file.append(ByteString.copyFromUtf8("entities"), Purpose.CHECKPOINT))
                        .thenCompose(length -> dfs.seal(path))
                        .thenApply(length ->
                                new StoredCheckpoint(at, List.of(new Manifest.File("000001.sst", path, length))));
            });
        }

        @Override
        public CompletableFuture<StoredSize> size() {
            check();
            int count = entities.size();
            StoredSize best = new StoredSize(count, null, 0);
            Key before = interval.start();
            int below = 0;
            for (Key key : entities.keySet()) {
                double left = (double) below++ / count;
                Key at = key.partition();
                boolean nearer = best.middle() == null || Math.abs(left - 0.5) < Math.abs(best.left() - 0.5);
                if (!at.equals(before) && nearer) {
                    best = new StoredSize(count, at, left);
                }
                before = at;
            }
            return CompletableFuture.completedFuture(best);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open--;
            }
        }
    }

    private static final class Cursor implements EntityCursor {
        private final Iterator<Map.Entry<Key, byte[]>> rest;
        private Map.@Nullable Entry<Key, byte[]> at;

        Cursor(Iterator<Map.Entry<Key, byte[]>> rest) {
            this.rest = rest;
            next();
        }

        private Map.Entry<Key, byte[]> at() {
            if (at == null) {
                throw new AssertionError("behind the end");
            }
            return at;
        }

        @Override
        public boolean valid() {
            return at != null;
        }

        @Override
        public byte[] key() {
            return at().getKey().bytes();
        }

        @Override
        public byte[] entity() {
            return at().getValue();
        }

        @Override
        public void next() {
            at = rest.hasNext() ? rest.next() : null;
        }

        @Override
        public void close() {}
    }
}
