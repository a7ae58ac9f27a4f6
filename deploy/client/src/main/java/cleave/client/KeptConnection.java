package cleave.client;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is opened when it is needed, again after it broke, and again when it was idle for long, since servers close idle ones. No
 * request is repeated. Confined to its client's thread.
 */
public final class KeptConnection implements Closeable {
    /** Node's servers, such as Azurite, close a connection that was idle for 5 seconds. */
    private static final long IDLE_NANOS_MAX = 4_000_000_000L;

    private final Endpoint endpoint;
    private final Duration patience;
    private @Nullable Connection connection;
    private long lastUsed;

    /** @param patience for each answer; SocketTimeoutException after that */
    public KeptConnection(Endpoint endpoint, Duration patience) {
        this.endpoint = endpoint;
        this.patience = patience;
    }

    public Answer exchange(Request request) throws IOException {
        send(request);
        return receive();
    }

    public void send(Request request) throws IOException {
        boolean isSent = false;
        try {
            open().send(request);
            isSent = true;
        } finally {
            if (!isSent) {
                close();
            }
        }
    }

    /** The answer to the oldest request that has none. */
    public Answer receive() throws IOException {
        Connection used = connection;
        if (used == null) {
            throw new IOException("nothing was sent on this connection");
        }
        boolean isWhole = false;
        try {
            Answer answer = used.receive();
            lastUsed = System.nanoTime();
            isWhole = !answer.header("Connection").equalsIgnoreCase("close");
            return answer;
        } finally {
            if (!isWhole) {
                close();
            }
        }
    }

    /** Connects unless it is connected: an IOException of this method means that nothing was sent. */
    public void connect() throws IOException {
        open();
    }

    private Connection open() throws IOException {
        if (connection != null && System.nanoTime() - lastUsed > IDLE_NANOS_MAX) {
            close();
        }
        Connection open = connection;
        if (open == null) {
            open = Connection.open(endpoint, patience);
            connection = open;
        }
        return open;
    }

    @Override
    public void close() {
        Connection used = connection;
        connection = null;
        if (used != null) {
            try {
                used.close();
            } catch (IOException gone) {
                // Then it is closed.
            }
        }
    }
}
