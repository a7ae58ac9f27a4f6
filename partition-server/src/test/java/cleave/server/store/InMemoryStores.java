package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.ExactRead;
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
import cleave.server.state.TableSize;
import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Ordered stores in memory. Their checkpoints are like those of RocksDB: a file of the DFS with the entities, and a small one, with the
 * position, which is inline if it may be. A test can hold back stores and checkpoints, and have the medium fail. Confined to one thread.
 */
public final class InMemoryStores implements RangeStores {
    private static final String ENTITIES = "000001.sst";
    private static final String POSITION = "CURRENT";

    private final Dfs dfs;
    private final Gate opens = new Gate();
    private final Gate checkpoints = new Gate();
    private int compactions;

    public boolean opensFail;
    public boolean checkpointsFail;
    /** All calls fail but those that open a store. */
    public boolean fails;

    /** What a file of the DFS held under these keys cannot be read, in any store. */
    public final Set<Key> damaged = new TreeSet<>();

    public long freeBytes = 100 << 20;
    /** Stores that are open. */
    public int open;

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

    /** What a store holds: entities, and up to which record of a log. Immutable. */
    private record Content(
            TreePMap<Key, byte[]> entities, @Nullable LogPosition position) {
        static final Content EMPTY = new Content(TreePMap.empty(), null);

        Content joined(Content other, boolean isFirst) {
            return new Content(entities.plusAll(other.entities), isFirst ? other.position : position);
        }

        Content with(Effect effect, KeyRange interval) {
            if (effect instanceof Effect.Put put) {
                return new Content(entities.plus(put.key(), put.entity()), position);
            }
            if (effect instanceof Effect.Delete delete) {
                return new Content(entities.minus(delete.key()), position);
            }
            KeyRange gone = KeyRange.ofTable(effect.table()).intersection(interval);
            return gone == null ? this : new Content(without(gone), position);
        }

        private TreePMap<Key, byte[]> without(KeyRange gone) {
            TreePMap<Key, byte[]> left = entities;
            for (Key key : entities.keySet()) {
                left = gone.contains(key) ? left.minus(key) : left;
            }
            return left;
        }

        /** The file with the position, and that with the entities. */
        List<ByteString> saved() {
            ByteArrayOutputStream small = new ByteArrayOutputStream();
            ByteArrayOutputStream large = new ByteArrayOutputStream();
            try (DataOutputStream at = new DataOutputStream(small);
                    DataOutputStream out = new DataOutputStream(large)) {
                at.writeUTF(position == null ? "" : position.path());
                at.writeLong(position == null ? 0 : position.offset());
                at.writeLong(position == null ? 0 : position.sequence());
                out.writeInt(entities.size());
                for (Map.Entry<Key, byte[]> entry : entities.entrySet()) {
                    write(out, entry.getKey().bytes());
                    write(out, entry.getValue());
                }
            } catch (IOException never) {
                throw new UncheckedIOException(never);
            }
            return List.of(ByteString.copyFrom(small.toByteArray()), ByteString.copyFrom(large.toByteArray()));
        }

        private static void write(DataOutputStream out, byte[] bytes) throws IOException {
            out.writeInt(bytes.length);
            out.write(bytes);
        }

        static Content restored(KeyRange interval, Map<String, ByteString> files) {
            ByteString small = files.get(POSITION);
            ByteString large = files.get(ENTITIES);
            if (small == null || large == null) {
                throw new StoreException("no checkpoint of this store: " + files.keySet());
            }
            try (DataInputStream at = new DataInputStream(small.newInput());
                    DataInputStream in = new DataInputStream(large.newInput())) {
                LogPosition position = new LogPosition(at.readUTF(), at.readLong(), at.readLong());
                TreePMap<Key, byte[]> entities = TreePMap.empty();
                for (int left = in.readInt(); left > 0; left--) {
                    Key key = Key.fromWire(ByteString.copyFrom(in.readNBytes(in.readInt())));
                    byte[] entity = in.readNBytes(in.readInt());
                    if (interval.contains(key)) {
                        entities = entities.plus(key, entity);
                    }
                }
                return new Content(entities, position.path().isEmpty() ? null : position);
            } catch (IOException damaged) {
                throw new StoreException("a checkpoint is damaged", damaged);
            }
        }

        StoredSize size(Key start) {
            long bytes = 0;
            for (Map.Entry<Key, byte[]> entry : entities.entrySet()) {
                bytes += bytes(entry);
            }
            StoredSize best = new StoredSize(bytes, null, 0);
            Key before = start.partition();
            long below = 0;
            for (Map.Entry<Key, byte[]> entry : entities.entrySet()) {
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
            for (Map.Entry<Key, byte[]> entry : entities.entrySet()) {
                long table = entry.getKey().table();
                sums.merge(table, new TableSize(table, bytes(entry), 1), TableSize::plus);
            }
            return List.copyOf(sums.values());
        }

        private static long bytes(Map.Entry<Key, byte[]> entry) {
            return (long) entry.getKey().bytes().length + entry.getValue().length;
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

    /** Checkpoints of what is stored now are uploaded when they are released. */
    public void holdCheckpoints() {
        checkpoints.closed = true;
    }

    public void releaseCheckpoints() {
        checkpoints.release();
    }

    public int compactions() {
        return compactions;
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
            KeyRange interval, List<Manifest.Checkpoint> opened, LongConsumer fetched) {
        CompletableFuture<Content> all = CompletableFuture.completedFuture(Content.EMPTY);
        for (Manifest.Checkpoint checkpoint : opened) {
            boolean isFirst = checkpoint.equals(opened.get(0));
            all = all.thenCombine(
                    fetch(checkpoint.files(), fetched),
                    (before, files) -> before.joined(Content.restored(checkpoint.interval(), files), isFirst));
        }
        if (opensFail) {
            return CompletableFuture.failedFuture(noSpace());
        }
        return all.thenCompose(opens::pass).thenApply(content -> {
            open++;
            return new Store(interval, content);
        });
    }

    /** The files' contents by their local names. */
    private CompletableFuture<Map<String, ByteString>> fetch(Manifest.FileSet files, LongConsumer fetched) {
        CompletableFuture<Map<String, ByteString>> all = CompletableFuture.completedFuture(new TreeMap<>());
        for (Manifest.InlineFile file : files.inline()) {
            all = all.thenApply(found -> with(found, file.localName(), file.content()));
        }
        for (Manifest.File file : files.stored()) {
            int length = Math.toIntExact(file.length());
            all = all.thenCombine(ExactRead.of(dfs, file.path(), 0, length), (found, bytes) -> {
                if (bytes.size() != length) {
                    throw new StoreException(file.path() + " has " + bytes.size() + " of " + length + " bytes");
                }
                fetched.accept(length);
                return with(found, file.localName(), bytes);
            });
        }
        return all;
    }

    private static Map<String, ByteString> with(Map<String, ByteString> files, String name, ByteString bytes) {
        files.put(name, bytes);
        return files;
    }

    private final class Store implements RangeStore {
        private final KeyRange interval;
        private Content content;
        private boolean closed;

        Store(KeyRange interval, Content content) {
            this.interval = interval;
            this.content = content;
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
            if (damaged.contains(key)) {
                throw damage(key);
            }
            return content.entities().get(key);
        }

        @Override
        public void apply(List<Effect> effects, LogPosition behind) {
            check();
            for (Effect effect : effects) {
                content = content.with(effect, interval);
            }
            content = new Content(content.entities(), behind);
        }

        @Override
        public @Nullable LogPosition position() {
            return content.position();
        }

        @Override
        public EntityCursor cursor(KeyRange wanted) {
            check();
            return new Cursor(content.entities(), wanted, false);
        }

        @Override
        public EntityCursor salvage(KeyRange wanted) {
            check();
            return new Cursor(content.entities(), wanted, true);
        }

        @Override
        public CompletableFuture<Void> compact(KeyRange wanted) {
            compactions++;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files, int inlineMax) {
            check();
            if (checkpointsFail) {
                return CompletableFuture.failedFuture(noSpace());
            }
            return checkpoints.pass(content).thenCompose(taken -> upload(taken, files, inlineMax));
        }

        @Override
        public CompletableFuture<StoredSize> size() {
            check();
            return CompletableFuture.completedFuture(content.size(interval.start()));
        }

        @Override
        public List<String> damagedFiles() {
            return damaged.isEmpty() ? List.of() : List.of("damaged");
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open--;
            }
        }
    }

    private CompletableFuture<RangeStore.StoredCheckpoint> upload(Content content, RangeFiles files, int inlineMax) {
        List<ByteString> saved = content.saved();
        ByteString small = saved.get(0);
        CompletableFuture<Manifest.File> entities = upload(ENTITIES, saved.get(1), files);
        CompletableFuture<Manifest.FileSet> all = small.size() <= inlineMax
                ? entities.thenApply(
                        file -> new Manifest.FileSet(List.of(file), List.of(new Manifest.InlineFile(POSITION, small))))
                : entities.thenCompose(file -> upload(POSITION, small, files)
                        .thenApply(position -> Manifest.FileSet.of(file, position))
                        .whenComplete((set, failure) -> {
                            if (failure != null) {
                                dfs.delete(file.path());
                            }
                        }));
        return all.thenApply(set -> new RangeStore.StoredCheckpoint(content.position(), set));
    }

    private CompletableFuture<Manifest.File> upload(String name, ByteString bytes, RangeFiles files) {
        String path = files.next("checkpoint");
        return dfs.create(path)
                .thenCompose(file -> file.append(bytes, Purpose.CHECKPOINT)
                        .whenComplete((length, failure) -> {
                            if (failure != null) {
                                dfs.delete(path);
                            }
                        })
                        .thenCompose(length -> dfs.seal(path))
                        .whenComplete((length, failure) -> file.close()))
                .thenApply(length -> {
                    if (length != bytes.size()) {
                        throw new StoreException(path + " was sealed at " + length + " of " + bytes.size() + " bytes");
                    }
                    return new Manifest.File(name, path, length);
                });
    }

    private final class Cursor implements EntityCursor {
        private final Iterator<Map.Entry<Key, byte[]>> rest;
        private final KeyRange wanted;
        private final boolean salvages;
        private Map.@Nullable Entry<Key, byte[]> at;

        Cursor(TreePMap<Key, byte[]> entities, KeyRange wanted, boolean salvages) {
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
            boolean valid = at != null && wanted.contains(at.getKey());
            if (valid && !salvages && damaged.contains(at().getKey())) {
                throw damage(at().getKey());
            }
            return valid;
        }

        @Override
        public @Nullable KeyRange unreadable() {
            Key here = at().getKey();
            return damaged.contains(here) ? new KeyRange(here, here.next()) : null;
        }

        private Map.Entry<Key, byte[]> at() {
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
