package cleave.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/**
 * The time for which a thread has been ready to run while others had the processors, in nanoseconds, as Linux counts it. Confined to that
 * thread.
 */
final class ProcessorWait implements LongSupplier {
    private static final Path FILE = Path.of("/proc/thread-self/schedstat");

    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocate(128);

    private ProcessorWait(FileChannel file) {
        this.file = file;
    }

    /** The wait of the calling thread; always 0 where the system does not report it. */
    static LongSupplier ofThisThread() {
        try {
            ProcessorWait wait = new ProcessorWait(FileChannel.open(FILE, StandardOpenOption.READ));
            wait.getAsLong();
            return wait;
        } catch (IOException | UncheckedIOException | IllegalArgumentException untold) {
            return () -> 0;
        }
    }

    @Override
    public long getAsLong() {
        buffer.clear();
        try {
            file.read(buffer, 0);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot read " + FILE, failed);
        }
        return parse(new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII));
    }

    /** The second of three numbers; the others are the time on a processor, and how often. IllegalArgumentException if it is not there. */
    static long parse(String line) {
        String[] numbers = line.trim().split(" ", -1);
        if (numbers.length != 3) {
            throw new IllegalArgumentException("no line of schedstat: " + line);
        }
        return Long.parseLong(numbers[1]);
    }
}
