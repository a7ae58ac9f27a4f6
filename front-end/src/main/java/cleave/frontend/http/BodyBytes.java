package cleave.frontend.http;

import cleave.frontend.protocol.odata.Body;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * The body of a request as it comes in, up to a limit. Confined to its loop. Grows with what has come, never with what was
 * announced, so an announcement costs nothing.
 */
final class BodyBytes {
    private static final byte[] NONE = new byte[0];

    private final int max;
    private byte[] bytes = NONE;
    private int length;

    BodyBytes(int max) {
        this.max = max;
    }

    /** Adds a piece; false, and nothing is kept any more, if the body is too large with it. */
    boolean add(Buffer piece) {
        int grown = length + piece.length();
        if (grown > max) {
            drop();
            return false;
        }
        if (grown > bytes.length) {
            bytes = Arrays.copyOf(bytes, length == 0 ? grown : Math.min(max, Math.max(grown, 2 * bytes.length)));
        }
        piece.getBytes(0, piece.length(), bytes, length);
        length = grown;
        return true;
    }

    /** Bytes that it takes. */
    int capacity() {
        return bytes.length;
    }

    /** Keeps nothing of what has come. */
    void drop() {
        bytes = NONE;
        length = 0;
    }

    Body body() {
        return new Body(bytes, 0, length);
    }
}
