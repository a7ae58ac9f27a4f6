package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.ExactRead;
import cleave.dfs.memory.Gate;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Space;
import cleave.server.outside.StoreException;
import cleave.server.state.LogPosition;
import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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

    private final Dfs dfs;
    /** Stores that are being opened. */
    public final Gate opens = new Gate();
    /** Checkpoints that were made and are not uploaded. */
    public final Gate checkpoints = new Gate();

    private final List<InMemoryStore> stores = new ArrayList<>();
    int compactions;

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

    public StoreException.Kind damageIs = StoreException.Kind.STORED_DAMAGE;

    public long freeBytes = 100 << 20;
    /** Stores that are open. */
    public int open;

    /** Changes a file on its way. */
    public interface Arriving {
        ByteString arrived(String path, ByteString bytes);
    }

    public InMemoryStores(Dfs dfs) {
        this.dfs = dfs;
    }

    public int compactions() {
        return compactions;
    }

    /** All that was applied goes to files. */
    public void flush() {
        stores.forEach(InMemoryStore::flush);
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
        stores.forEach(InMemoryStore::merge);
    }

    /** All bits of local files are again as they were. */
    public void mend() {
        stores.forEach(store -> store.files.forEach(SortedFile::mend));
    }

    @Override
    public Space space() {
        return new Space(freeBytes, 10 << 20);
    }

    StoreException damage(Key key) {
        return new StoreException(damageIs, "what " + key + " holds is damaged");
    }

    static StoreException noSpace() {
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
        return all.thenCompose(found -> opens.pass("", CompletableFuture.completedFuture(found)))
                .thenApply(found -> {
                    InMemoryStore store = new InMemoryStore(this, interval, found);
                    open++;
                    stores.add(store);
                    return store;
                });
    }

    void closed(InMemoryStore store) {
        open--;
        stores.remove(store);
    }

    private static <T> List<T> with(List<T> all, T another) {
        all.add(another);
        return all;
    }

    /** A checkpoint that has come from the DFS. */
    record Fetched(
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

    static ByteString saved(@Nullable LogPosition position) {
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

    /** Uploads the new files; all of them stay or none. */
    CompletableFuture<Manifest.FileSet> upload(
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
}
