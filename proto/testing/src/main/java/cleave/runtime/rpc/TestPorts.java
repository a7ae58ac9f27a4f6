package cleave.runtime.rpc;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Ports of 127.0.0.1 for servers of tests whose address must be known before they listen, or stays the same over restarts.
 * Thread-safe.
 *
 * <p>They lie below the system's ephemeral ports, any of which an outgoing connection could take before the server listens. Until this
 * JVM ends, the UDP port of the same number is bound, so that no test in another JVM is given the same port; local clusters choose
 * their ports in the same way.
 */
public final class TestPorts {
    private static final int LEAST = 15_000;
    private static final int END = 32_000;
    private static final int TRIES = 10_000;

    private static final Random RANDOM =
            new Random(System.nanoTime() ^ ProcessHandle.current().pid());
    private static final List<DatagramSocket> CLAIMS = new CopyOnWriteArrayList<>();

    private TestPorts() {}

    /** A port that nobody listens on, never given before. */
    public static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = LEAST + RANDOM.nextInt(END - LEAST);
            if (claim(port) && isFree(port)) {
                return port;
            }
        }
        throw new AssertionError("no free port found from " + LEAST + " to " + (END - 1));
    }

    private static boolean claim(int port) {
        try {
            CLAIMS.add(new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
            return true;
        } catch (SocketException claimed) {
            return false;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
