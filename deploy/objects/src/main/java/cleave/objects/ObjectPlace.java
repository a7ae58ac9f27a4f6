package cleave.objects;

import cleave.deploy.CommandFailure;
import cleave.deploy.backup.place.BackupPlace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Backups under a prefix in an object store. Confined to one thread, but for its own, which carry out requests.
 *
 * <p>An object gets its name when its upload begins, and this name has the checksum. So a small file is kept in memory until its checksum is
 * known, and a large one whose checksum nobody knows is read twice.
 */
final class ObjectPlace implements BackupPlace {
    private static final String LOCK = "lock";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int THREADS = 4;

    private final String url;
    /** Empty, or ends with a slash. */
    private final String prefix;

    private final ObjectStore store;
    private final Retries retries;
    private final ObjectLock.Times times;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "backup-transfer");
        thread.setDaemon(true);
        return thread;
    });
    /** Null until it is taken. */
    private @Nullable ObjectLock lock;

    private boolean isClosed;

    /** @param url what people call it */
    ObjectPlace(String url, String prefix, ObjectStore store) {
        this(url, prefix, store, PATIENCE, ObjectLock.Times.USUAL);
    }

    ObjectPlace(String url, String prefix, ObjectStore store, Duration patience, ObjectLock.Times times) {
        this.url = url;
        this.prefix = prefix.isEmpty() ? "" : prefix + "/";
        this.store = store;
        this.retries = new Retries(patience);
        this.times = times;
    }

    @Override
    public boolean isReadFreely() {
        return false;
    }

    @Override
    public void take() throws IOException {
        lock = ObjectLock.take(store, retries, prefix + LOCK, times, url);
    }

    /** A reader may lack the permission to write. What it reads while a backup removes older ones is missing, and it says so. */
    @Override
    public void takeToRead() {}

    @Override
    public List<String> top() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        @Nullable String from = null;
        do {
            @Nullable String begin = from;
            ObjectStore.Page page = retries.call(() -> store.top(prefix, begin));
            page.objects().keySet().forEach(name -> names.add(name.substring(prefix.length())));
            page.folders().forEach(name -> names.add(name.substring(prefix.length())));
            from = page.next();
        } while (from != null);
        names.remove(LOCK);
        names.remove(""); // A placeholder of the folder itself, as some browsers of object stores make one.
        return List.copyOf(names);
    }

    @Override
    public SortedMap<String, Long> below(String folder) throws IOException {
        TreeMap<String, Long> found = new TreeMap<>();
        @Nullable String from = null;
        do {
            @Nullable String begin = from;
            ObjectStore.Page page = retries.call(() -> store.below(prefix + folder, begin));
            page.objects().forEach((name, length) -> found.put(name.substring(prefix.length()), length));
            from = page.next();
        } while (from != null);
        return found;
    }

    /** Parts that cannot be removed, because the store or the permissions forbid it, cost space and do no other harm. */
    @Override
    public void removeHalfWritten() throws IOException {
        try {
            for (ObjectStore.Unfinished each : retries.call(() -> store.unfinished(prefix))) {
                retries.run(() -> store.abort(each.name(), each.upload()));
            }
        } catch (StoreFailure failed) {
            if (failed.isTransient()) {
                throw failed;
            }
        }
    }

    @Override
    public long length(String name) throws IOException {
        return retries.call(() -> store.length(prefix + name));
    }

    @Override
    public InputStream open(String name) throws IOException {
        long length = length(name);
        if (length < 0) {
            throw new NoSuchFileException(url + "/" + name);
        }
        return new RangeStream(
                (from, bytes) -> threads.submit(() -> retries.call(() -> store.read(prefix + name, from, bytes))),
                length);
    }

    @Override
    public int add(String name, long length, @Nullable Integer expected, Content content) throws IOException {
        if (PartUpload.isOne(length)) {
            return addSmall(name, length, expected, content);
        }
        return addLarge(name, length, expected, expected == null ? checksum(name, length, content) : expected, content);
    }

    private int addSmall(String name, long length, @Nullable Integer expected, Content content) throws IOException {
        ByteArrayOutputStream held = new ByteArrayOutputStream((int) length);
        content.copyTo(held);
        byte[] bytes = held.toByteArray();
        checkLength(name, bytes.length, length);
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        int checksum = (int) crc.getValue();
        if (expected == null || expected == checksum) {
            retries.run(() -> store.put(prefix + BackupPlace.named(name, checksum), bytes));
        }
        return checksum;
    }

    private static int checksum(String name, long length, Content content) throws IOException {
        CRC32C crc = new CRC32C();
        Counting counted = new Counting();
        content.copyTo(new CheckedOutputStream(counted, crc));
        checkLength(name, counted.count, length);
        return (int) crc.getValue();
    }

    private static void checkLength(String name, long found, long length) throws IOException {
        if (found != length) {
            throw new IOException(name + " has " + found + " bytes");
        }
    }

    private static final class Counting extends OutputStream {
        private long count;

        @Override
        public void write(int one) {
            count++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            count += length;
        }
    }

    private int addLarge(String name, long length, @Nullable Integer expected, int checksum, Content content)
            throws IOException {
        PartUpload upload =
                PartUpload.begin(store, retries, threads, prefix + BackupPlace.named(name, checksum), length);
        try (upload) {
            content.copyTo(upload);
            checkLength(name, upload.written(), length);
            if (upload.checksum() != checksum) {
                IOException changed = new IOException(name + " was read twice, with different content");
                if (expected == null) {
                    throw changed;
                }
                upload.abort(changed);
                return upload.checksum();
            }
            upload.complete();
            return checksum;
        } catch (IOException | RuntimeException failed) {
            upload.abort(failed);
            throw failed;
        }
    }

    @Override
    public void put(String name, byte[] bytes) throws IOException {
        checkHeld();
        retries.run(() -> store.put(prefix + name, bytes));
    }

    @Override
    public void delete(String name) throws IOException {
        checkHeld();
        retries.run(() -> store.delete(prefix + name));
    }

    private void checkHeld() throws StoreFailure {
        if (lock != null) {
            lock.check(url);
        }
    }

    /** What an object store has acknowledged is durable. */
    @Override
    public void sync() {}

    @Override
    public CommandFailure failure(IOException failed) {
        if (failed instanceof NoSuchFileException missing) {
            return CommandFailure.failed("there is no " + missing.getFile());
        }
        if (!(failed instanceof StoreFailure answer)) {
            return CommandFailure.failed(url + " cannot be used: " + failed.getMessage());
        }
        String text = url + ": " + answer.getMessage();
        if (!answer.isTransient()) {
            return CommandFailure.failed(text);
        }
        return CommandFailure.unreachable(
                lock == null
                        ? text
                        : text + ". What was copied stays: run the same command again, which continues from there");
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (lock != null) {
            lock.close();
        }
        threads.shutdownNow();
        store.close();
    }

    @Override
    public String toString() {
        return url;
    }
}
