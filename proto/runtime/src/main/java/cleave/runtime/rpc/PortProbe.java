package cleave.runtime.rpc;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Asks a machine whether anybody listens on one of its ports, by a connection that is closed at once. Thread-safe.
 *
 * <p>Only a running machine refuses, or a firewall before it that is configured to: then no process can be reached. Silence, a name that is
 * not found, and all other failures on the way say nothing. If a name has several addresses, all must refuse.
 */
public final class PortProbe implements AutoCloseable {
    private static final int WAIT_MILLIS_MAX = 500;
    static final int THREADS_MAX = 4;
    static final int WAITING_MAX = 64;

    private final Predicate<String> asks;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS_MAX, THREADS_MAX, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), task -> {
                Thread thread = new Thread(task, "port-probe");
                thread.setDaemon(true);
                return thread;
            });

    public PortProbe() {
        this(PortProbe::isRefused);
    }

    /** @param asks whether an address refuses; may take a while */
    PortProbe(Predicate<String> asks) {
        this.asks = asks;
        threads.allowCoreThreadTimeOut(true);
    }

    /** True if the machine at this address refuses the connection; false if that is not known. Never fails. */
    public CompletableFuture<Boolean> refuses(String address) {
        try {
            return CompletableFuture.supplyAsync(() -> asks.test(address), threads);
        } catch (RejectedExecutionException closedOrBusy) {
            return CompletableFuture.completedFuture(false);
        }
    }

    private static boolean isRefused(String text) {
        try {
            Address address = Address.parse(text);
            if (address.isInProcess()) {
                return false;
            }
            for (InetAddress each : InetAddress.getAllByName(address.name())) {
                if (!isRefused(new InetSocketAddress(each, address.port()))) {
                    return false;
                }
            }
            return true;
        } catch (IOException | IllegalArgumentException unknown) {
            return false;
        }
    }

    /** True if the address refuses. A ConnectException is a refusal, or a time-out of the system, which is longer than this one. */
    private static boolean isRefused(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(address, WAIT_MILLIS_MAX);
            return false;
        } catch (ConnectException refused) {
            return true;
        }
    }

    /** Asks nothing more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
