package cleave.objects;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The bytes of one object, of which a piece is fetched while the one before is read. Confined to one thread. */
final class RangeStream extends InputStream {
    private static final int PIECE_BYTES = 4 << 20;

    /** Fetches bytes in the background. */
    interface Source {
        Future<byte[]> fetch(long from, int length);
    }

    private final Source source;
    private final long length;
    private long asked;
    private byte[] piece = new byte[0];
    private int at;
    private @Nullable Future<byte[]> next;

    RangeStream(Source source, long length) {
        this.source = source;
        this.length = length;
        ask();
    }

    private void ask() {
        int bytes = (int) Math.min(PIECE_BYTES, length - asked);
        next = bytes == 0 ? null : source.fetch(asked, bytes);
        asked += bytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
        if (most == 0) {
            return 0;
        }
        if (at == piece.length) {
            Future<byte[]> coming = next;
            if (coming == null) {
                return -1;
            }
            piece = Futures.get(coming);
            at = 0;
            ask();
        }
        int bytes = Math.min(most, piece.length - at);
        System.arraycopy(piece, at, into, from, bytes);
        at += bytes;
        return bytes;
    }

    @Override
    public void close() {
        if (next != null) {
            next.cancel(true);
        }
    }
}
