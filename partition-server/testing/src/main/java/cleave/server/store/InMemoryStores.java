package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.ExactRead;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Space;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Ordered stores in memory. Their checkpoints are like those of RocksDB. They have files of the DFS with entities, of which those of an
 * earlier checkpoint are named again, and a small file with the position, which is inline if it may be. A test can hold back stores and
 * checkpoints, have the medium fail, and let bits rot: in local files, and on their way from the DFS. Confined to one thread.
 */
public final class InMemoryStores implements RangeStores {
    private static final String POSITION = "CURRENT";
    /** A checkpoint merges more files than these into one. */
    private static final int FILES_MAX = 4;

    private final Dfs dfs;
    private final Gate opens = new Gate();
    private final Gate checkpoints = new Gate();
    private final List<Store> stores = new ArrayList<>();
    private int compactions;

    public boolean opensFail;
    public boolean checkpointsFail;
    /** All calls fail but those that open a store. */
    public boolean fails;

    /** Applied effects go to a file as soon as there are this many; with each checkpoint in any case. */
    public int flushEntities = Integer.MAX_VALUE;
    /** Called when the upload of a local file begins. */
    public Runnable uploading = () -> {};
    /** Changes the bytes that come from the DFS. */
    public Arriving arriving = (path, bytes) -> bytes;
    /** Uploaded files are compared with the checksums that they got when they were written. */
    public boolean verifies = true;
    /** Entities of files of the DFS with these keys cannot be read, in any store. */
    public final Set<Key> damagedKeys = new TreeSet<>();

    public long freeBytes = 100 << 20;
    /** Stores that are open. */
    public int open;

    /** Changes a file on its way. */
    public interface Arriving {
        ByteString arrived(String path, ByteString bytes);
    }

    /** Lets futures through, or holds them until they are released. */
    private static final class Gate {
        private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
        private boolean closed;

        <T> CompletableFuture<T> pass(T value) {
            if (!closed) {
                return CompletableFuture.completedFuture(value);
            }
            CompletableFuture<Void> held = new CompletableFuture<>();
            waiting.add(held);
            return held.thenApply(released -> value);
        }

        void release() {
            closed = false;
            List<CompletableFuture<Void>> released = List.copyOf(waiting);
            waiting.clear();
            released.forEach(each -> each.complete(null));
        }
    }

    public InMemoryStores(Dfs dfs) {
        this.dfs = dfs;
    }

    /** Stores that are being opened wait until released. */
    public void holdOpens() {
        opens.closed = true;
    }

    public void releaseOpens() {
        opens.release();
    }

    /** Checkpoints of the current data are uploaded when they are released. */
    public void holdCheckpoints() {
        checkpoints.closed = true;
    }

    public void releaseCheckpoints() {
        checkpoints.release();
    }

    public int compactions() {
        return compactions;
    }

    /** All that was applied goes to files. */
    public void flush() {
        stores.forEach(Store::flush);
    }

    /**
     * Flips a bit of a local file of an open store. Answers a description of it; null if there is no such file.
     *
     * @param isNew it must be of a file that no checkpoint has
     */
    public @Nullable String rot(Random random, boolean isNew) {
        List<SortedFile> all = stores.stream()
                .flatMap(store -> store.files.stream())
                .filter(file -> file.bits() > 0 && (!isNew || file.stored() == null))
                .toList();
        if (all.isEmpty()) {
            return null;
        }
        SortedFile file = all.get(random.nextInt(all.size()));
        int bit = random.nextInt(file.bits());
        file.flip(bit);
        return "bit " + bit + " of " + file.name() + (file.stored() == null ? ", which no checkpoint has" : "");
    }

    /** Each store makes one file of all that it has. */
    public void merge() {
        stores.forEach(Store::merge);
    }

    /** All bits of local files are again as they were. */
    public void mend() {
        stores.forEach(store -> store.files.forEach(SortedFile::mend));
    }

    @Override
    public Space space() {
        return new Space(freeBytes, 10 << 20);
    }

    private static StoreException damage(Key key) {
        return new StoreException(StoreException.Kind.STORED_DAMAGE, "what " + key + " holds is damaged in the DFS");
    }

    private static StoreException noSpace() {
        return new StoreException("the store has no space", new IOException("no space left on device"));
    }

    @Override
    public CompletableFuture<RangeStore> open(
            KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched) {
        CompletableFuture<List<Fetched>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Manifest.Checkpoint checkpoint : checkpoints) {
            all = all.thenCombine(fetch(checkpoint, fetched), InMemoryStores::with);
        }
        if (opensFail) {
            return CompletableFuture.failedFuture(noSpace());
        }
        return all.thenCompose(opens::pass).thenApply(found -> {
            Store store = new Store(interval, found);
            open++;
            stores.add(store);
            return store;
        });
    }

    private static <T> List<T> with(List<T> all, T another) {
        all.add(another);
        return all;
    }

    /** A checkpoint that has come from the DFS. */
    private record Fetched(
            Manifest.Checkpoint checkpoint,
            List<SortedFile> files,
            List<Manifest.File> damaged,
            @Nullable LogPosition position) {
        /** The newest entities of its files, within its interval or not. */
        TreePMap<Key, SortedFile.Entity> entities() {
            TreePMap<Key, SortedFile.Entity> entities = TreePMap.empty();
            for (SortedFile file : files) {
                for (Map.Entry<Key, ? extends Optional<? extends SortedFile.Entity>> entry :
                        file.entries().entrySet()) {
                    SortedFile.Entity entity = entry.getValue().orElse(null);
                    entities = entity == null ? entities.minus(entry.getKey()) : entities.plus(entry.getKey(), entity);
                }
            }
            return entities;
        }
    }

    private CompletableFuture<Fetched> fetch(Manifest.Checkpoint checkpoint, LongConsumer fetched) {
        CompletableFuture<List<Arrived>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Manifest.File file : checkpoint.files().stored()) {
            all = all.thenCombine(fetch(file, fetched), InMemoryStores::with);
        }
        return all.thenApply(arrived -> {
            List<SortedFile> files = new ArrayList<>();
            List<Manifest.File> damaged = new ArrayList<>();
            ByteString position = null;
            for (Arrived each : arrived) {
                if (each.file().localName().equals(POSITION)) {
                    position = each.bytes();
                } else {
                    files.add(SortedFile.restored(each.file(), each.bytes(), !each.isWhole()));
                }
                if (!each.isWhole()) {
                    damaged.add(each.file());
                }
            }
            for (Manifest.InlineFile inline : checkpoint.files().inline()) {
                position = inline.content();
            }
            if (position == null
                    || damaged.stream().anyMatch(file -> file.localName().equals(POSITION))) {
                throw new StoreException(
                        StoreException.Kind.STORED_DAMAGE, "there is no position in " + checkpoint.files());
            }
            files.sort(Comparator.comparing(SortedFile::name));
            return new Fetched(checkpoint, files, damaged, restored(position));
        });
    }

    /** A file that has come from the DFS; not whole if its bytes differed twice from those that were written. */
    private record Arrived(Manifest.File file, ByteString bytes) {
        boolean isWhole() {
            Integer sent = file.checksum();
            if (sent != null) {
                return sent == FileTransfer.checksum(bytes.toByteArray());
            }
            try {
                if (!file.localName().equals(POSITION)) {
                    SortedFile.restored(file, bytes, false).verify();
                }
                return true;
            } catch (StoreException damaged) {
                return false;
            }
        }
    }

    private CompletableFuture<Arrived> fetch(Manifest.File file, LongConsumer fetched) {
        return fetchOnce(file).thenCompose(first -> {
            fetched.accept(file.length());
            return first.isWhole() ? CompletableFuture.completedFuture(first) : fetchOnce(file);
        });
    }

    private CompletableFuture<Arrived> fetchOnce(Manifest.File file) {
        int length = Math.toIntExact(file.length());
        return ExactRead.of(dfs, file.path(), 0, length).thenApply(bytes -> {
            if (bytes.size() != length) {
                throw new StoreException(file.path() + " has " + bytes.size() + " of " + length + " bytes");
            }
            return new Arrived(file, arriving.arrived(file.path(), bytes));
        });
    }

    private static ByteString saved(@Nullable LogPosition position) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(position == null ? "" : position.path());
            out.writeLong(position == null ? 0 : position.offset());
            out.writeLong(position == null ? 0 : position.sequence());
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }

    private static @Nullable LogPosition restored(ByteString position) {
        try (DataInputStream in = new DataInputStream(position.newInput())) {
            LogPosition restored = new LogPosition(in.readUTF(), in.readLong(), in.readLong());
            return restored.path().isEmpty() ? null : restored;
        } catch (IOException damaged) {
            throw new StoreException("the position of a checkpoint is damaged", damaged);
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

    private final class Store implements RangeStore {
        private final KeyRange interval;
        private final List<SortedFile> files = new ArrayList<>();
        private final List<String> damaged = new ArrayList<>();
        /** The newest entity of each key, in files or waiting. */
        private TreePMap<Key, SortedFile.Entity> entities = TreePMap.empty();
        /** Entities and deletions that are in no file yet. */
        private final TreeMap<Key, Optional<byte[]>> waiting = new TreeMap<>();

        private @Nullable LogPosition position;
        private int numbers;
        private boolean closed;

        /** Keeps the files of the largest, and copies the data of the others. */
        Store(KeyRange interval, List<Fetched> opened) {
            this.interval = interval;
            Fetched largest = opened.stream()
                    .max(Comparator.comparingLong(
                            each -> each.checkpoint().files().bytes()))
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
            if (fails) {
                throw new StoreException("the medium fails", new IllegalStateException());
            }
        }

        @Override
        public byte @Nullable [] get(Key key) {
            check();
            if (damagedKeys.contains(key)) {
                throw damage(key);
            }
            SortedFile.Entity found = entities.get(key);
            return found == null ? null : found.bytes();
        }

        @Override
        public void apply(List<Effect> effects, LogPosition behind) {
            check();
            effects.forEach(this::apply);
            position = behind;
            if (waiting.size() >= flushEntities) {
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
        private void flush() {
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
        private void merge() {
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
            compactions++;
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
            if (checkpointsFail) {
                return CompletableFuture.failedFuture(noSpace());
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
            return checkpoints
                    .pass(List.copyOf(files))
                    .thenCompose(all -> upload(all, saved(taken), to, inlineMax))
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
            if (!damagedKeys.isEmpty()) {
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
                open--;
                stores.remove(this);
            }
        }
    }

    private static long bytes(Map.Entry<Key, SortedFile.Entity> entry) {
        return (long) entry.getKey().bytes().length + entry.getValue().length();
    }

    /** Uploads the new files; all of them stay or none. */
    private CompletableFuture<Manifest.FileSet> upload(
            List<SortedFile> all, ByteString position, RangeFiles to, int inlineMax) {
        List<Manifest.File> fresh = new ArrayList<>();
        CompletableFuture<List<Manifest.File>> stored = CompletableFuture.completedFuture(new ArrayList<>());
        for (SortedFile file : all) {
            stored = stored.thenCompose(before -> {
                Manifest.File known = file.stored();
                if (known != null) {
                    return CompletableFuture.completedFuture(with(before, known));
                }
                return upload(file.name(), to, () -> read(file)).thenApply(uploaded -> {
                    fresh.add(uploaded);
                    return with(before, uploaded);
                });
            });
        }
        if (position.size() > inlineMax) {
            stored = stored.thenCompose(before ->
                    upload(POSITION, to, () -> new Sent(position, null)).thenApply(uploaded -> with(before, uploaded)));
        }
        List<Manifest.InlineFile> inline =
                position.size() <= inlineMax ? List.of(new Manifest.InlineFile(POSITION, position)) : List.of();
        return stored.thenApply(files -> new Manifest.FileSet(files, inline)).whenComplete((set, failure) -> {
            if (set == null) {
                fresh.forEach(file -> dfs.delete(file.path()));
            } else {
                remember(all, set);
            }
        });
    }

    private static void remember(List<SortedFile> all, Manifest.FileSet set) {
        for (Manifest.File stored : set.stored()) {
            all.stream().filter(file -> file.name().equals(stored.localName())).forEach(file -> file.stored(stored));
        }
    }

    /** The bytes of a file that are sent, and the damage that was found when it was read for that. */
    private record Sent(ByteString bytes, @Nullable StoreException damage) {}

    private Sent read(SortedFile file) {
        uploading.run();
        StoreException damage = null;
        try {
            file.verify();
        } catch (StoreException found) {
            damage = verifies ? found : null;
        }
        return new Sent(file.bytes(), damage);
    }

    private CompletableFuture<Manifest.File> upload(String name, RangeFiles to, Supplier<Sent> from) {
        String path = to.next("checkpoint");
        return dfs.create(path)
                .thenCompose(file -> append(name, file, from.get()).whenComplete((uploaded, failure) -> {
                    file.close();
                    if (failure != null) {
                        dfs.delete(path);
                    }
                }));
    }

    private CompletableFuture<Manifest.File> append(String name, DfsFile file, Sent sent) {
        ByteString bytes = sent.bytes();
        return file.append(bytes, Purpose.CHECKPOINT)
                .thenCompose(length -> dfs.seal(file.path()))
                .thenApply(length -> {
                    if (length != bytes.size()) {
                        throw new StoreException(
                                file.path() + " was sealed at " + length + " of " + bytes.size() + " bytes");
                    }
                    if (sent.damage() != null) {
                        throw sent.damage();
                    }
                    return new Manifest.File(name, file.path(), length, FileTransfer.checksum(bytes.toByteArray()));
                });
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
            if (damagedKeys.contains(at().getKey())) {
                throw damage(at().getKey());
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
