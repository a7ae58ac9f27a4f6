package cleave.frontend.http;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;

/** How far a connection has come, and since when: what its time-outs are judged by. Confined to its loop. */
final class ClientConnection {
    private final HttpConnection http;
    private Phase phase = Phase.WAITING;
    private long sinceNanos;
    private int answersUnsent;
    private long unsentSinceNanos;

    /** What is awaited. */
    enum Phase {
        /** From the client: the whole head of a request. */
        WAITING,
        /** From the client: the rest of a body. */
        RECEIVING,
        /** From us: the answer, which has a deadline of its own. */
        WORKING
    }

    ClientConnection(HttpConnection http, long nowNanos) {
        this.http = http;
        this.sinceNanos = nowNanos;
    }

    void enter(Phase next, long nowNanos) {
        phase = next;
        sinceNanos = nowNanos;
    }

    /** An answer was handed to the socket. */
    void sending(long nowNanos) {
        if (answersUnsent++ == 0) {
            unsentSinceNanos = nowNanos;
        }
    }

    /** An answer has left for the client. */
    void sent(long nowNanos) {
        answersUnsent--;
        unsentSinceNanos = nowNanos;
    }

    /** Why the connection is to be closed; null if it is not. */
    @Nullable
    String overdue(long nowNanos, long idleNanos, long bodyNanos, long answerNanos) {
        if (answersUnsent > 0 && nowNanos - unsentSinceNanos > answerNanos) {
            return "slow-reader";
        }
        long waited = nowNanos - sinceNanos;
        return switch (phase) {
            case WAITING -> answersUnsent == 0 && waited > idleNanos ? "idle" : null;
            case RECEIVING -> waited > bodyNanos ? "slow-body" : null;
            case WORKING -> null;
        };
    }

    /** Closes when the client has taken what was written. */
    void close() {
        http.close();
    }

    /** Closes at once. Vert.x has no public way to do so: its close waits for a client that takes nothing. */
    void abort() {
        if (http instanceof HttpServerConnection connection) {
            connection.channelHandlerContext().close();
        } else {
            http.close();
        }
    }
}
