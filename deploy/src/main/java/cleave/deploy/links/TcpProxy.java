package cleave.deploy.links;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A link between two processes that can be cut: it accepts at a port and forwards to another. While it is cut, bytes of both
 * directions are held back and connections stay open, as in a network that drops packets; healing breaks them, so that both
 * ends notice. Thread-safe.
 */
public final class TcpProxy implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final ServerSocket listener;
    private final Supplier<@Nullable InetSocketAddress> target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Gate gate = new Gate();

    private TcpProxy(ServerSocket listener, Supplier<@Nullable InetSocketAddress> target) {
        this.listener = listener;
        this.target = target;
    }

    /** Open or shut once and for all; a thread that meets a shut one waits until it is thrown away. */
    private static final class Gate {
        private final CountDownLatch thrownAway = new CountDownLatch(1);
        private volatile boolean shut;

        /** True if bytes may pass. */
        boolean pass() throws InterruptedException {
            if (shut) {
                thrownAway.await();
                return false;
            }
            return true;
        }
    }

    /** @param target asked at each connection, which is closed if there is none (null) */
    public static TcpProxy start(InetAddress listenHost, int listenPort, Supplier<@Nullable InetSocketAddress> target)
            throws IOException {
        TcpProxy proxy = new TcpProxy(new ServerSocket(listenPort, 128, listenHost), target);
        spawn("proxy-accept-" + listenPort, proxy::accept);
        return proxy;
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void cut() {
        gate.shut = true;
    }

    public void heal() {
        Gate old = gate;
        gate = new Gate();
        sockets.forEach(TcpProxy::closeQuietly);
        old.shut = true;
        old.thrownAway.countDown();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                sockets.add(near);
                Gate through = gate;
                spawn("proxy-link-" + port(), () -> link(near, through));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void link(Socket near, Gate through) {
        Socket far = new Socket();
        sockets.add(far);
        try {
            if (!through.pass()) {
                closeQuietly(near);
                return;
            }
            InetSocketAddress to = target.get();
            if (to == null) {
                closeQuietly(near);
                return;
            }
            far.connect(to);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            spawn("proxy-back-" + port(), () -> pump(far, near, through));
            pump(near, far, through);
        } catch (IOException refused) {
            closeQuietly(near);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(far);
            sockets.remove(near);
            sockets.remove(far);
        }
    }

    private static void pump(Socket from, Socket to, Gate through) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0 && through.pass(); read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (IOException broken) {
            // Both sides are closed below.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void spawn(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // Nobody can use it any more, which is what was wanted.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        heal();
    }
}
