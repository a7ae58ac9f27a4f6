package cleave.board.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An event of a stream, encoded once for all viewers. Confined to the server's event loop. */
final class Packet {
    private static final byte[] END = {'\n', '\n'};

    private final long n;
    private final byte[] plain;
    private byte @Nullable [] zipped;

    private Packet(long n, byte[] plain) {
        this.n = n;
        this.plain = plain;
    }

    /** @param line a frame as a line of JSON, which has no line ends inside */
    static Packet frame(long n, byte[] line) {
        byte[] head = ("id: " + n + "\ndata: ").getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = new byte[head.length + line.length + END.length];
        System.arraycopy(head, 0, bytes, 0, head.length);
        System.arraycopy(line, 0, bytes, head.length, line.length);
        System.arraycopy(END, 0, bytes, head.length + line.length, END.length);
        return new Packet(n, bytes);
    }

    /** A line that readers of the stream skip: it keeps the connection from looking idle. */
    static Packet comment() {
        return new Packet(0, ":\n\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** The number of its frame; 0: it is none. */
    long n() {
        return n;
    }

    byte[] plain() {
        return plain;
    }

    byte[] zipped() {
        if (zipped == null) {
            zipped = Zip.piece(plain);
        }
        return zipped;
    }
}
