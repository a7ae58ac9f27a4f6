package cleave.board.recording;

import cleave.model.Damaged;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The lines of a file, one after the other, as bytes without their ends. Confined to its owner. */
final class Lines implements Closeable {
    /** Several times the longest that a board writes. */
    private static final int LINE_BYTES_MAX = 16 << 20;

    private final InputStream in;
    private long position;

    private Lines(InputStream in, long position) {
        this.in = in;
        this.position = position;
    }

    /** @param position the byte at which a line begins */
    static Lines of(Path file, long position) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ).position(position);
        return new Lines(new BufferedInputStream(Channels.newInputStream(channel), 1 << 16), position);
    }

    /** The next line that has an end; null if there is none. */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                position += line.size() + 1;
                return line.toByteArray();
            }
            line.write(next);
            if (line.size() > LINE_BYTES_MAX) {
                throw new Damaged("a line is longer than " + LINE_BYTES_MAX + " bytes");
            }
        }
        return null;
    }

    /** The byte behind the last line that was read. */
    long position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
