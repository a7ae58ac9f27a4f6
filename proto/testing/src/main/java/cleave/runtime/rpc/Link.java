package cleave.runtime.rpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Carries the connections to a port of this machine. Existing ones can be made to swallow all data while they stay established, like
 * connections to a node that has died. New ones can be led to another port, as by a name that has another address. Thread-safe.
 */
public final class Link implements AutoCloseable {
    private final ServerSocket listening;
    private volatile int target;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();

    public Link(int target) {
        this.target = target;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        run(this::accept);
    }

    private static final class Pair {
        private final Socket near;
        private final Socket far = new Socket();
        private volatile boolean swallows;

        Pair(Socket near) {
            this.near = near;
        }
    }

    /** Carries new connections to this port from now on; existing ones stay. */
    public void leadTo(int port) {
        target = port;
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** The connections that there are swallow everything from now on; new ones are carried. */
    public void swallow() {
        pairs.forEach(pair -> pair.swallows = true);
    }

    /** The number of open connections. */
    public int connections() {
        return (int) pairs.stream()
                .filter(pair -> !pair.near.isClosed() && !pair.far.isClosed())
                .count();
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void run(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException closed) {
                        // Its connection is over.
                    }
                },
                "link");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Pair pair = new Pair(listening.accept());
            try {
                pair.far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            } catch (IOException nobodyThere) {
                pair.near.close();
                continue;
            }
            pairs.add(pair);
            run(() -> carry(pair, pair.near, pair.far));
            run(() -> carry(pair, pair.far, pair.near));
        }
    }

    private static void carry(Pair pair, Socket from, Socket to) throws IOException {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!pair.swallows) {
                    out.write(buffer, 0, read);
                }
            }
        } finally {
            if (!pair.swallows) {
                from.close();
                to.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Pair pair : pairs) {
            pair.near.close();
            pair.far.close();
        }
    }
}
