package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import cleave.server.store.InMemoryStores.Fetched;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/** One of the {@link InMemoryStores}. Confined to one thread. */
final class InMemoryStore implements RangeStore {
    /** A checkpoint merges more files than these into one. */
    private static final int FILES_MAX = 4;

    private final InMemoryStores stores;
    private final KeyRange interval;
    final List<SortedFile> files = new ArrayList<>();
    private final List<String> damaged = new ArrayList<>();
    /** The newest entity of each key, in files or waiting. */
    private TreePMap<Key, SortedFile.Entity> entities = TreePMap.empty();
    /** Entities and deletions that are in no file yet. */
    private final TreeMap<Key, Optional<byte[]>> waiting = new TreeMap<>();

    private @Nullable LogPosition position;
    private int numbers;
    private boolean closed;

    /** Keeps the files of the largest, and copies the data of the others. */
    InMemoryStore(InMemoryStores stores, KeyRange interval, List<Fetched> opened) {
        this.stores = stores;
        this.interval = interval;
        Fetched largest = opened.stream()
                .max(Comparator.comparingLong(each -> each.checkpoint().files().bytes()))
                .orElse(null);
        if (largest != null) {
            files.addAll(largest.files());
            largest.damaged().forEach(file -> damaged.add(file.path()));
            position = largest.position();
            entities = largest.entities();
            numbers = files.stream()
                    .mapToInt(file -> Integer.parseInt(
                            file.name().substring(0, file.name().indexOf('.'))))
                    .max()
                    .orElse(0);
            entities.keySet().stream()
                    .filter(key -> !largest.checkpoint().interval().contains(key))
                    .forEach(this::delete);
        }
        for (Fetched other : opened) {
            if (!other.equals(largest)) {
                other.entities().forEach((key, entity) -> {
                    if (other.checkpoint().interval().contains(key)) {
                        put(key, entity.bytes());
                    }
                });
            }
        }
    }

    private void put(Key key, byte[] entity) {
        entities = entities.plus(key, new Unflushed(entity));
        waiting.put(key, Optional.of(entity));
    }

    private void delete(Key key) {
        entities = entities.minus(key);
        waiting.put(key, Optional.empty());
    }

    private void check() {
        if (closed) {
            throw new IllegalStateException("the store of " + interval + " was closed");
        }
        if (stores.fails) {
            throw new StoreException("the medium fails", new IllegalStateException());
        }
    }

    @Override
    public byte @Nullable [] get(Key key) {
        check();
        if (stores.damagedKeys.contains(key)) {
            throw stores.damage(key);
        }
        SortedFile.Entity found = entities.get(key);
        return found == null ? null : found.bytes();
    }

    @Override
    public void apply(List<Effect> effects, LogPosition behind) {
        check();
        effects.forEach(this::apply);
        position = behind;
        if (waiting.size() >= stores.flushEntities) {
            flush();
        }
    }

    private void apply(Effect effect) {
        if (effect instanceof Effect.Put put) {
            put(put.key(), put.entity());
        } else if (effect instanceof Effect.Delete delete) {
            delete(delete.key());
        } else {
            KeyRange gone = KeyRange.ofTable(effect.table()).intersection(interval);
            entities.keySet().stream()
                    .filter(key -> gone != null && gone.contains(key))
                    .forEach(this::delete);
        }
    }

    /** Writes the waiting effects to a file. */
    void flush() {
        if (waiting.isEmpty()) {
            return;
        }
        SortedFile file = SortedFile.of(String.format(Locale.ROOT, "%06d.sst", ++numbers), waiting);
        files.add(file);
        waiting.clear();
        for (Map.Entry<Key, ? extends Optional<? extends SortedFile.Entity>> entry :
                file.entries().entrySet()) {
            entry.getValue().ifPresent(entity -> entities = entities.plus(entry.getKey(), entity));
        }
    }

    /** Makes one file of all, and fails if a block is damaged. Damaged files of the DFS stay. */
    void merge() {
        if (damaged.isEmpty()) {
            files.forEach(SortedFile::verify);
            entities.forEach((key, entity) -> waiting.put(key, Optional.of(entity.bytes())));
            files.clear();
            waiting.values().removeIf(Optional::isEmpty);
        }
        flush();
    }

    @Override
    public @Nullable LogPosition position() {
        return position;
    }

    @Override
    public EntityCursor cursor(KeyRange wanted) {
        check();
        return new Cursor(entities, wanted, false);
    }

    @Override
    public EntityCursor salvage(KeyRange wanted) {
        check();
        return new Cursor(entities, wanted, true);
    }

    @Override
    public CompletableFuture<Void> compact(KeyRange wanted) {
        stores.compactions++;
        try {
            merge();
        } catch (StoreException damage) {
            return CompletableFuture.failedFuture(damage);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles to, int inlineMax) {
        check();
        if (stores.checkpointsFail) {
            return CompletableFuture.failedFuture(InMemoryStores.noSpace());
        }
        try {
            flush();
            if (files.size() > FILES_MAX) {
                merge();
            }
        } catch (StoreException damage) {
            return CompletableFuture.failedFuture(damage);
        }
        LogPosition taken = position;
        return stores.checkpoints
                .pass("", CompletableFuture.completedFuture(List.copyOf(files)))
                .thenCompose(all -> stores.upload(all, InMemoryStores.saved(taken), to, inlineMax))
                .thenApply(set -> new StoredCheckpoint(taken, set));
    }

    @Override
    public CompletableFuture<StoredSize> size() {
        check();
        return CompletableFuture.completedFuture(sized());
    }

    private StoredSize sized() {
        long bytes = 0;
        for (Map.Entry<Key, SortedFile.Entity> entry : entities.entrySet()) {
            bytes += bytes(entry);
        }
        StoredSize best = new StoredSize(bytes, null, 0);
        Key before = interval.start().partition();
        long below = 0;
        for (Map.Entry<Key, SortedFile.Entity> entry : entities.entrySet()) {
            double left = (double) below / bytes;
            Key at = entry.getKey().partition();
            boolean nearer = best.middle() == null || Math.abs(left - 0.5) < Math.abs(best.left() - 0.5);
            if (!at.equals(before) && nearer) {
                best = new StoredSize(bytes, at, left);
            }
            before = at;
            below += bytes(entry);
        }
        return best.with(tables());
    }

    private List<TableSize> tables() {
        Map<Long, TableSize> sums = new TreeMap<>();
        for (Map.Entry<Key, SortedFile.Entity> entry : entities.entrySet()) {
            long table = entry.getKey().table();
            sums.merge(table, new TableSize(table, bytes(entry), 1), TableSize::plus);
        }
        return List.copyOf(sums.values());
    }

    @Override
    public List<String> damagedFiles() {
        List<String> all = new ArrayList<>(damaged);
        if (!stores.damagedKeys.isEmpty()) {
            all.add("damaged");
        }
        return List.copyOf(all);
    }

    private Optional<SortedFile> copyOf(Manifest.File file) {
        return files.stream()
                .filter(own -> own.stored() != null && own.stored().path().equals(file.path()))
                .findFirst();
    }

    @Override
    public CompletableFuture<Optional<ByteString>> read(Manifest.File file, long offset, int length) {
        return CompletableFuture.completedFuture(copyOf(file)
                .map(own -> own.bytes().substring((int) offset, (int) offset + length)));
    }

    @Override
    public void uploadAgain(Manifest.File file) {
        copyOf(file).ifPresent(SortedFile::uploadAgain);
    }

    @Override
    public void lost(Manifest.File file) {
        damaged.add(file.path());
        copyOf(file).ifPresent(SortedFile::lost);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            stores.closed(this);
        }
    }

    /** An entity that is in no file yet. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Unflushed(byte[] bytes) implements SortedFile.Entity {
        @Override
        public int length() {
            return bytes.length;
        }
    }

    private static long bytes(Map.Entry<Key, SortedFile.Entity> entry) {
        return (long) entry.getKey().bytes().length + entry.getValue().length();
    }

    private final class Cursor implements EntityCursor {
        private final Iterator<Map.Entry<Key, SortedFile.Entity>> rest;
        private final KeyRange wanted;
        private final boolean salvages;
        private Map.@Nullable Entry<Key, SortedFile.Entity> at;
        private byte @Nullable [] entity;

        Cursor(TreePMap<Key, SortedFile.Entity> entities, KeyRange wanted, boolean salvages) {
            this.salvages = salvages;
            this.rest = entities.entrySet().iterator();
            this.wanted = wanted;
            next();
            while (at != null && at.getKey().compareTo(wanted.start()) < 0) {
                next();
            }
        }

        @Override
        public boolean valid() {
            if (at == null || !wanted.contains(at.getKey())) {
                return false;
            }
            if (!salvages) {
                entity();
            }
            return true;
        }

        @Override
        public @Nullable KeyRange unreadable() {
            Key here = at().getKey();
            try {
                entity();
                return null;
            } catch (StoreException damage) {
                if (damage.kind() != StoreException.Kind.STORED_DAMAGE) {
                    throw damage;
                }
                return new KeyRange(here, here.next());
            }
        }

        private Map.Entry<Key, SortedFile.Entity> at() {
            if (at == null) {
                throw new IllegalStateException("the cursor is past the end");
            }
            return at;
        }

        @Override
        public byte[] key() {
            return at().getKey().bytes();
        }

        @Override
        public byte[] entity() {
            if (stores.damagedKeys.contains(at().getKey())) {
                throw stores.damage(at().getKey());
            }
            byte[] read = entity == null ? at().getValue().bytes() : entity;
            entity = read;
            return read;
        }

        @Override
        public void next() {
            at = rest.hasNext() ? rest.next() : null;
            entity = null;
        }

        @Override
        public void close() {}
    }
}
