package cleave.board.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.function.Supplier;

/**
 * Someone who watches a stream. While the connection takes no more, frames are left out, and the next one that it takes is a whole one: a slow
 * viewer costs the memory of one frame. Confined to the server's event loop.
 */
final class Viewer {
    private static final int QUEUE_BYTES_MAX = 64 << 10;

    private final HttpServerResponse response;
    private final boolean takesZip;
    private boolean lags = true;
    private boolean isGone;
    private long lastN;

    /** @param takesZip whether the viewer asked for gzip */
    Viewer(HttpServerResponse response, boolean takesZip) {
        this.response = response;
        this.takesZip = takesZip;
        response.setWriteQueueMaxSize(QUEUE_BYTES_MAX);
        response.setChunked(true);
        response.putHeader("Content-Type", "text/event-stream; charset=utf-8");
        if (takesZip) {
            response.putHeader("Content-Encoding", "gzip");
            response.write(Buffer.buffer(Zip.head()));
        }
    }

    /**
     * Frames come in the order of their numbers; one that came already is left out.
     *
     * @param whole the same moment, for one who has nothing
     */
    void offer(Packet packet, Supplier<Packet> whole) {
        if (isGone || response.writeQueueFull()) {
            lags = true;
            return;
        }
        if (packet.n() > lastN) {
            write(lags ? whole.get() : packet);
            lags = false;
            lastN = packet.n();
        }
    }

    /** Keeps the connection open. */
    void comment(Packet comment) {
        if (!isGone && !response.writeQueueFull()) {
            write(comment);
        }
    }

    private void write(Packet packet) {
        response.write(Buffer.buffer(takesZip ? packet.zipped() : packet.plain()));
    }

    /** Its connection has ended. */
    void leave() {
        isGone = true;
    }

    boolean isGone() {
        return isGone;
    }
}
