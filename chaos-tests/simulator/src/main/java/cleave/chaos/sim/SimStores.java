package cleave.chaos.sim;

import cleave.dfs.Dfs;
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
import cleave.server.store.InMemoryStores;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** In-memory stores in place of RocksDB, on a disk that can be full and whose bits rot, with planted bugs. Confined to the simulation. */
final class SimStores implements RangeStores {
    /** The most entities that wait in memory; a script says itself when they go to a file. */
    private static final int FLUSHED_MAX = 16;

    private final SimProcess process;
    private final InMemoryStores stores;
    private final Bug bug;
    private final SimDisk disk;
    private final Random random;

    SimStores(SimProcess process, Dfs dfs, Bug bug, SimDisk disk) {
        this.process = process;
        this.stores = new InMemoryStores(dfs);
        this.bug = bug;
        this.disk = disk;
        this.random = process.world().newRandom();
        stores.verifies = bug != Bug.UPLOAD_NOT_VERIFIED;
        if (!process.world().isScripted()) {
            stores.flushEntities = 1 + random.nextInt(FLUSHED_MAX);
        }
        disk.holds(stores);
    }

    private StoreException noSpace(String what) {
        process.world().trace().count("stores without space");
        return new StoreException(what, new IOException("no space left on device"));
    }

    @Override
    public Space space() {
        return disk.space();
    }

    @Override
    public CompletableFuture<RangeStore> open(
            KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched) {
        List<Manifest.Checkpoint> opened = checkpoints;
        if (bug == Bug.INTERVAL_IGNORED_BY_A_MERGE && checkpoints.size() > 1) {
            opened = checkpoints.stream()
                    .map(each -> new Manifest.Checkpoint(interval, each.files()))
                    .toList();
        }
        return stores.open(interval, opened, fetched).thenApply(store -> {
            if (disk.isFull()) {
                throw noSpace("a store cannot be opened");
            }
            judge(store);
            return new Store(store);
        });
    }

    /** In seeds nothing rots in the DFS itself, so nothing there is damaged unless it was uploaded so. */
    private void judge(RangeStore store) {
        if (!process.world().isScripted() && !store.damagedFiles().isEmpty()) {
            process.world()
                    .violation(
                            Finding.By.MAP,
                            process + " finds files damaged in the DFS, where nothing rots: " + store.damagedFiles());
        }
    }

    private final class Store implements RangeStore {
        private final RangeStore store;

        Store(RangeStore store) {
            this.store = store;
        }

        @Override
        public byte @Nullable [] get(Key key) {
            return store.get(key);
        }

        @Override
        public void apply(List<Effect> effects, LogPosition position) {
            if (disk.isFull() && random.nextInt(4) == 0) { // Most effects go to a write buffer.
                throw noSpace("effects cannot be applied");
            }
            store.apply(bug.effects(effects, store), position);
        }

        @Override
        public @Nullable LogPosition position() {
            return store.position();
        }

        @Override
        public EntityCursor cursor(KeyRange interval) {
            EntityCursor cursor = store.cursor(interval);
            return bug == Bug.SCAN_ENDS_EARLY ? new EarlyEnd(cursor) : cursor;
        }

        @Override
        public EntityCursor salvage(KeyRange interval) {
            return store.salvage(interval);
        }

        @Override
        public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files, int inlineMax) {
            if (disk.isFull()) {
                return CompletableFuture.failedFuture(noSpace("a checkpoint cannot be made"));
            }
            process.world().trace().count("checkpoints");
            return store.checkpoint(files, bug == Bug.INLINE_BEFORE_ITS_LEVEL ? Integer.MAX_VALUE : inlineMax);
        }

        @Override
        public CompletableFuture<Void> compact(KeyRange interval) {
            return store.compact(interval);
        }

        @Override
        public CompletableFuture<StoredSize> size() {
            if (!process.world().isScripted() && random.nextInt(8) == 0) {
                try {
                    readAll();
                } catch (StoreException damage) {
                    return CompletableFuture.failedFuture(damage);
                }
            }
            return store.size();
        }

        /** As RocksDB's stores count the entities of small tables. */
        private void readAll() {
            try (EntityCursor cursor = store.cursor(KeyRange.ALL)) {
                while (cursor.valid()) {
                    cursor.next();
                }
            }
        }

        @Override
        public List<String> damagedFiles() {
            return store.damagedFiles();
        }

        @Override
        public CompletableFuture<Optional<ByteString>> read(Manifest.File file, long offset, int length) {
            return store.read(file, offset, length);
        }

        @Override
        public void uploadAgain(Manifest.File file) {
            store.uploadAgain(file);
        }

        @Override
        public void lost(Manifest.File file) {
            store.lost(file);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    /** Leaves out the last entity. */
    private static final class EarlyEnd implements EntityCursor {
        private final EntityCursor ahead;
        private byte[] key = {};
        private byte[] entity = {};

        EarlyEnd(EntityCursor cursor) {
            this.ahead = cursor;
            next();
        }

        @Override
        public boolean valid() {
            return ahead.valid();
        }

        @Override
        public byte[] key() {
            return key;
        }

        @Override
        public byte[] entity() {
            return entity;
        }

        @Override
        public void next() {
            if (ahead.valid()) {
                key = ahead.key();
                entity = ahead.entity();
                ahead.next();
            }
        }

        @Override
        public void close() {
            ahead.close();
        }
    }
}
