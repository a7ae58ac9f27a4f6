package cleave.objects;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;

/**
 * Uploads an object in parts while it is being written: a few of them at the same time, so that memory is bounded. Confined to one thread.
 */
final class PartUpload extends OutputStream {
    private static final int PART_BYTES = 8 << 20;
    /** S3 takes 10,000 parts. */
    private static final int PARTS_MAX = 9_000;

    private static final int UNDER_WAY = 3;

    private final ObjectStore store;
    private final Retries retries;
    private final ExecutorService threads;
    private final String name;
    private final String upload;
    private final int partBytes;
    private final CRC32C crc = new CRC32C();
    private final List<String> parts = new ArrayList<>();
    private final Deque<Future<String>> underWay = new ArrayDeque<>();
    private byte[] part;
    private int filled;
    private int number;
    private long written;

    private PartUpload(
            ObjectStore store, Retries retries, ExecutorService threads, String name, String upload, long length) {
        this.store = store;
        this.retries = retries;
        this.threads = threads;
        this.name = name;
        this.upload = upload;
        this.partBytes = (int) Math.max(PART_BYTES, (length + PARTS_MAX - 1) / PARTS_MAX);
        this.part = new byte[partBytes];
    }

    /** @param length of the object, at least about */
    static PartUpload begin(ObjectStore store, Retries retries, ExecutorService threads, String name, long length)
            throws StoreFailure {
        return new PartUpload(store, retries, threads, name, retries.call(() -> store.begin(name)), length);
    }

    /** True if an object of this length has only one part. */
    static boolean isOne(long length) {
        return length <= PART_BYTES;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        crc.update(bytes, from, length);
        written += length;
        for (int done = 0; done < length; ) {
            int some = Math.min(length - done, partBytes - filled);
            System.arraycopy(bytes, from + done, part, filled, some);
            filled += some;
            done += some;
            if (filled == partBytes) {
                send();
                part = new byte[partBytes];
            }
        }
    }

    private void send() throws IOException {
        if (underWay.size() == UNDER_WAY) {
            parts.add(Futures.get(underWay.remove()));
        }
        byte[] bytes = part;
        int length = filled;
        int which = ++number;
        underWay.add(threads.submit(() -> retries.call(() -> store.part(name, upload, which, bytes, length))));
        filled = 0;
    }

    /** Bytes that were written. */
    long written() {
        return written;
    }

    /** Checksum of the bytes that were written. */
    int checksum() {
        return (int) crc.getValue();
    }

    /** Makes the object of what was written, at least one byte. */
    void complete() throws IOException {
        if (filled > 0) {
            send();
        }
        while (!underWay.isEmpty()) {
            parts.add(Futures.get(underWay.remove()));
        }
        try {
            retries.run(() -> store.complete(name, upload, parts));
        } catch (StoreFailure failed) {
            // The first request may have succeeded although its answer was lost.
            if (retries.call(() -> store.length(name)) != written) {
                throw failed;
            }
        }
    }

    /** Forgets what was uploaded; where that fails, the next backup does it. */
    void abort(Exception cause) {
        underWay.forEach(each -> each.cancel(true));
        try {
            store.abort(name, upload);
        } catch (StoreFailure failed) {
            cause.addSuppressed(failed);
        }
    }
}
