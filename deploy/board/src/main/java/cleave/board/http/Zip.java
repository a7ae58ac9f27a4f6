package cleave.board.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Answers as gzip. Pure. */
final class Zip {
    /** The head of a gzip stream without name and time (RFC 1952, section 2.3). */
    private static final byte[] HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private Zip() {}

    /** A complete answer. */
    static byte[] whole(byte[] bytes) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return zipped.toByteArray();
    }

    /** What a stream of {@linkplain #piece pieces} begins with. */
    static byte[] head() {
        return HEAD.clone();
    }

    /**
     * A piece of a stream without end. It refers to no piece before it and ends at a byte, so it is made once, and is a part of each stream that
     * it is written to (RFC 1951: blocks, the last of them empty and stored).
     */
    static byte[] piece(byte[] bytes) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setInput(bytes);
            byte[] zipped = new byte[bytes.length / 4 + 1024];
            int length = 0;
            while (true) {
                length += deflater.deflate(zipped, length, zipped.length - length, Deflater.SYNC_FLUSH);
                if (length < zipped.length) {
                    return Arrays.copyOf(zipped, length);
                }
                zipped = Arrays.copyOf(zipped, 2 * zipped.length);
            }
        } finally {
            deflater.end();
        }
    }
}
