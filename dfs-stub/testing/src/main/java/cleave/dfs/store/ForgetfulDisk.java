package cleave.dfs.store;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that keeps after a {@link #crash} only what was synced, and of the rest whatever chance leaves: nothing, some
 * writes, torn writes; of files made, renamed and deleted, some first part. Confined to one thread at a time, but for what it is told
 * to fail.
 */
public final class ForgetfulDisk implements Disk {
    private static final int SECTOR = 512;

    private TreeMap<String, Content> files = new TreeMap<>();
    private final TreeMap<String, List<Change>> unsyncedChanges = new TreeMap<>();
    private TreeMap<String, Content> stable = new TreeMap<>();
    private final AtomicInteger failingWrites = new AtomicInteger();
    private volatile boolean failsSyncs;
    private long size = Long.MAX_VALUE;
    private int stepsUntilPowerFails = Integer.MAX_VALUE;

    /** The step was not taken: the process is gone. The owner calls {@link #crash}. */
    public static final class PowerFailure extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** A file that appeared under a name, or with null vanished. */
    private record Change(String name, @Nullable Content content) {}

    /** An unsynced write, or with null bytes a cut. */
    private record Write(long position, @Nullable ByteString bytes) {}

    /** Bytes that grow. */
    private static final class Bytes {
        private byte[] array = {};
        private int size;

        void apply(Write write) {
            ByteString bytes = write.bytes();
            int position = (int) write.position();
            if (bytes == null) {
                Arrays.fill(array, Math.min(position, size), size, (byte) 0);
                size = Math.min(position, size);
                return;
            }
            int end = position + bytes.size();
            if (end > array.length) {
                array = Arrays.copyOf(array, Math.max(end, array.length * 2));
            }
            bytes.copyTo(array, position);
            size = Math.max(size, end);
        }

        void become(Bytes other) {
            array = other.array.clone();
            size = other.size;
        }
    }

    private static final class Content {
        final Bytes current = new Bytes();
        final Bytes synced = new Bytes();
        final List<Write> unsynced = new ArrayList<>();
    }

    /** There is no room for a write. */
    public static final class FullException extends IOException {
        private static final long serialVersionUID = 1;

        FullException() {
            super("No space left on device");
        }
    }

    /** Sets the number of free bytes, as if others took or freed the difference. */
    public void leaveFree(long bytes) {
        size = used() + bytes;
    }

    private long used() {
        long used = 0;
        for (Content content : files.values()) {
            used += content.current.size;
        }
        return used;
    }

    @Override
    public long freeBytes() {
        return Math.max(0, size - used());
    }

    @Override
    public long totalBytes() {
        return size;
    }

    /** The next writes find no room. */
    public void failWrites(int count) {
        failingWrites.set(count);
    }

    boolean failsWrites() {
        return failingWrites.get() > 0;
    }

    /** From now on every sync fails, or no longer. */
    public void failSyncs(boolean fails) {
        failsSyncs = fails;
    }

    /** Power fails when this many more writes, syncs and changes of names were done. */
    public void powerFailsAfter(int steps) {
        stepsUntilPowerFails = steps;
    }

    public void powerStays() {
        stepsUntilPowerFails = Integer.MAX_VALUE;
    }

    private void step() throws PowerFailure {
        if (stepsUntilPowerFails == 0) {
            throw new PowerFailure();
        }
        stepsUntilPowerFails--;
    }

    /** Power fails: open files are gone, and the disk shows what it kept. */
    public void crash(Random random) {
        powerStays();
        boolean forgetsAll = random.nextInt(3) == 0;
        for (List<Change> changes : unsyncedChanges.values()) {
            int kept = forgetsAll ? 0 : random.nextInt(changes.size() + 1);
            changes.subList(0, kept).forEach(change -> apply(stable, change));
        }
        unsyncedChanges.clear();
        files = new TreeMap<>(stable);
        for (Content content : files.values()) {
            for (Write write : content.unsynced) {
                if (!forgetsAll && random.nextBoolean()) {
                    content.synced.apply(torn(write, random));
                }
            }
            content.unsynced.clear();
            content.current.become(content.synced);
        }
    }

    private static Write torn(Write write, Random random) {
        ByteString bytes = write.bytes();
        if (bytes == null || random.nextBoolean()) {
            return write;
        }
        int sectors = (bytes.size() + SECTOR - 1) / SECTOR;
        int from = random.nextInt(sectors) * SECTOR;
        int to = Math.min(bytes.size(), from + (1 + random.nextInt(sectors)) * SECTOR);
        if (sectors == 1 || random.nextInt(4) == 0) {
            to = from + random.nextInt(to - from + 1);
        }
        return new Write(write.position() + from, bytes.substring(from, to));
    }

    private static void apply(Map<String, Content> names, Change change) {
        if (change.content() == null) {
            names.remove(change.name());
        } else {
            names.put(change.name(), change.content());
        }
    }

    private void change(Change change) throws PowerFailure {
        step();
        apply(files, change);
        unsyncedChanges
                .computeIfAbsent(folderOf(change.name()), folder -> new ArrayList<>())
                .add(change);
    }

    private static String folderOf(String name) {
        return name.contains("/") ? name.substring(0, name.indexOf('/')) : "";
    }

    @Override
    public File open(String name) throws IOException {
        Content content = files.get(name);
        if (content == null) {
            content = new Content();
            change(new Change(name, content));
        }
        return new OpenFile(content);
    }

    @Override
    public boolean exists(String name) {
        return files.containsKey(name);
    }

    @Override
    public List<String> list(String folder) {
        int skipped = folder.isEmpty() ? 0 : folder.length() + 1;
        return files.keySet().stream()
                .filter(name -> folderOf(name).equals(folder))
                .map(name -> name.substring(skipped))
                .toList();
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Content content = files.get(from);
        if (content == null) {
            throw new IOException("no file " + from);
        }
        change(new Change(to, content)); // A crash between the two leaves both names: fewer than a real disk allows.
        change(new Change(from, null));
    }

    @Override
    public void delete(String name) throws IOException {
        if (files.containsKey(name)) {
            change(new Change(name, null));
        }
    }

    @Override
    public void syncFolder(String folder) throws IOException {
        checkSync();
        for (Change change : unsyncedChanges.getOrDefault(folder, List.of())) {
            apply(stable, change);
        }
        unsyncedChanges.remove(folder);
    }

    private void checkSync() throws IOException {
        step();
        if (failsSyncs) {
            throw new java.io.SyncFailedException("told to fail");
        }
    }

    @Override
    public void close() {}

    private final class OpenFile implements File {
        private final Content content;

        OpenFile(Content content) {
            this.content = content;
        }

        @Override
        public long size() {
            return content.current.size;
        }

        @Override
        public void write(long position, ByteBuffer bytes) throws IOException {
            change(new Write(position, ByteString.copyFrom(bytes)));
        }

        private void change(Write write) throws IOException {
            step();
            ByteString bytes = write.bytes();
            long growth = bytes == null ? 0 : write.position() + bytes.size() - content.current.size;
            boolean full = growth > 0 && size != Long.MAX_VALUE && growth > freeBytes();
            if (full || failingWrites.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new FullException();
            }
            content.current.apply(write);
            content.unsynced.add(write);
        }

        @Override
        public int read(long position, ByteBuffer target) {
            int count = (int) Math.max(0, Math.min(target.remaining(), content.current.size - position));
            if (count > 0) {
                target.put(content.current.array, (int) position, count);
            }
            return count;
        }

        @Override
        public void truncate(long size) throws IOException {
            change(new Write(size, null));
        }

        @Override
        public void sync() throws IOException {
            checkSync();
            content.unsynced.forEach(content.synced::apply);
            content.unsynced.clear();
        }

        @Override
        public void close() {}
    }
}
