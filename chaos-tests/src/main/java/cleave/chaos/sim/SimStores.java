package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile.Purpose;
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
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Ordered stores in memory, in place of RocksDB; their checkpoints are files of the DFS like those of the real ones. Confined to the
 * simulation.
 */
final class SimStores implements RangeStores {
    private static final String LOCAL_NAME = "000001.sst";
    private static final long ENTITY_BYTES = 100;

    private final SimProcess process;
    private final Dfs dfs;
    private final Bug bug;
    private final SimDisk disk;
    private final Random random;

    SimStores(SimProcess process, Dfs dfs, Bug bug, SimDisk disk) {
        this.process = process;
        this.dfs = dfs;
        this.bug = bug;
        this.disk = disk;
        this.random = process.world().newRandom();
    }

    private StoreException noSpace(String what) {
        process.world().trace().count("stores without space");
        return new StoreException(what, new IOException("no space left on device"));
    }

    @Override
    public Space space() {
        return disk.space();
    }

    /** Applies an effect within an interval. */
    private static TreePMap<Key, byte[]> applied(TreePMap<Key, byte[]> entities, Effect effect, KeyRange interval) {
        if (effect instanceof Effect.Put put) {
            return entities.plus(put.key(), put.entity());
        }
        if (effect instanceof Effect.Delete delete) {
            return entities.minus(delete.key());
        }
        KeyRange gone = KeyRange.ofTable(effect.table()).intersection(interval);
        TreePMap<Key, byte[]> left = entities;
        if (gone != null) {
            for (Key key : entities.keySet()) {
                left = gone.contains(key) ? left.minus(key) : left;
            }
        }
        return left;
    }

    @Override
    public CompletableFuture<RangeStore> open(KeyRange interval, List<Manifest.Checkpoint> checkpoints) {
        CompletableFuture<TreePMap<Key, byte[]>> all = CompletableFuture.completedFuture(TreePMap.empty());
        boolean whole = bug == Bug.INTERVAL_IGNORED_BY_A_MERGE && checkpoints.size() > 1;
        for (Manifest.Checkpoint checkpoint : checkpoints) {
            KeyRange counts = whole ? interval : checkpoint.interval();
            Manifest.File file = checkpoint.files().get(0);
            all = all.thenCombine(
                    dfs.read(file.path(), 0, Math.toIntExact(file.length())),
                    (entities, bytes) -> entities.plusAll(restored(counts, file, bytes)));
        }
        return all.thenApply(entities -> {
            if (disk.isFull()) {
                throw noSpace("a store cannot be opened");
            }
            return new Store(interval, entities, null);
        });
    }

    private static TreePMap<Key, byte[]> restored(KeyRange interval, Manifest.File file, ByteString bytes) {
        if (bytes.size() != file.length()) {
            throw new StoreException(
                    file.path() + " has " + bytes.size() + " of " + file.length() + " bytes",
                    new IllegalStateException());
        }
        try (DataInputStream in = new DataInputStream(bytes.newInput())) {
            TreePMap<Key, byte[]> entities = TreePMap.empty();
            for (int left = in.readInt(); left > 0; left--) {
                Key key = Key.fromWire(ByteString.copyFrom(in.readNBytes(in.readInt())));
                byte[] entity = in.readNBytes(in.readInt());
                if (interval.contains(key)) {
                    entities = entities.plus(key, entity);
                }
            }
            return entities;
        } catch (IOException damaged) {
            throw new StoreException("a checkpoint is damaged", damaged);
        }
    }

    private static byte[] saved(TreePMap<Key, byte[]> entities) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(entities.size());
            for (Map.Entry<Key, byte[]> entry : entities.entrySet()) {
                byte[] key = entry.getKey().bytes();
                out.writeInt(key.length);
                out.write(key);
                out.writeInt(entry.getValue().length);
                out.write(entry.getValue());
            }
        } catch (IOException never) {
            throw new java.io.UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    private final class Store implements RangeStore {
        private final KeyRange interval;
        private TreePMap<Key, byte[]> entities;
        private @Nullable LogPosition position;
        private boolean closed;

        Store(KeyRange interval, TreePMap<Key, byte[]> entities, @Nullable LogPosition position) {
            this.interval = interval;
            this.entities = entities;
            this.position = position;
        }

        private void checkOpen() {
            if (closed) {
                throw new IllegalStateException("the store of " + interval + " was closed");
            }
        }

        @Override
        public byte @Nullable [] get(Key key) {
            checkOpen();
            return entities.get(key);
        }

        @Override
        public void apply(List<Effect> effects, LogPosition behind) {
            checkOpen();
            if (disk.isFull() && random.nextInt(4) == 0) { // Most goes to a write buffer.
                throw noSpace("effects cannot be applied");
            }
            List<Effect> mutated = bug.effects(effects, entities);
            for (Effect effect : mutated) {
                entities = applied(entities, effect, interval);
            }
            position = behind;
        }

        @Override
        public @Nullable LogPosition position() {
            return position;
        }

        @Override
        public EntityCursor cursor(KeyRange wanted) {
            checkOpen();
            return new Cursor(entities, wanted, bug == Bug.SCAN_ENDS_EARLY);
        }

        @Override
        public CompletableFuture<Void> compact(KeyRange wanted) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files) {
            checkOpen();
            if (disk.isFull()) {
                return CompletableFuture.failedFuture(noSpace("a checkpoint cannot be made"));
            }
            byte[] bytes = saved(entities);
            LogPosition at = position;
            String path = files.next("checkpoint");
            process.world().trace().count("checkpoints");
            return dfs.create(path)
                    .thenCompose(file -> file.append(ByteString.copyFrom(bytes), Purpose.CHECKPOINT)
                            .whenComplete((length, failure) -> {
                                file.close();
                                if (failure != null) {
                                    dfs.delete(path);
                                }
                            }))
                    .thenCompose(length -> dfs.seal(path))
                    .thenApply(length -> {
                        if (length != bytes.length) {
                            throw new StoreException("checkpoint cut at " + length, new IllegalStateException());
                        }
                        return new StoredCheckpoint(at, List.of(new Manifest.File(LOCAL_NAME, path, length)));
                    });
        }

        @Override
        public CompletableFuture<StoredSize> size() {
            checkOpen();
            long bytes = entities.size() * ENTITY_BYTES;
            StoredSize best = new StoredSize(bytes, null, 0);
            Key before = interval.start();
            int below = 0;
            for (Key key : entities.keySet()) {
                double left = (double) below++ / entities.size();
                Key at = key.partition();
                boolean nearer = best.middle() == null || Math.abs(left - 0.5) < Math.abs(best.left() - 0.5);
                if (!at.equals(before) && nearer) {
                    best = new StoredSize(bytes, at, left);
                }
                before = at;
            }
            return CompletableFuture.completedFuture(best);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static final class Cursor implements EntityCursor {
        private final Iterator<Map.Entry<Key, byte[]>> rest;
        private final KeyRange wanted;
        private final boolean endsEarly;
        private Map.@Nullable Entry<Key, byte[]> at;

        Cursor(TreePMap<Key, byte[]> entities, KeyRange wanted, boolean endsEarly) {
            this.rest = entities.entrySet().iterator();
            this.wanted = wanted;
            this.endsEarly = endsEarly;
            next();
            while (at != null && at.getKey().compareTo(wanted.start()) < 0) {
                next();
            }
        }

        @Override
        public boolean valid() {
            return at != null && wanted.contains(at.getKey()) && !(endsEarly && !rest.hasNext());
        }

        private Map.Entry<Key, byte[]> at() {
            if (at == null) {
                throw new IllegalStateException("behind the end");
            }
            return at;
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
