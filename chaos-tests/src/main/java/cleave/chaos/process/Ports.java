package cleave.chaos.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Ports that stay the same over restarts of a process. Confined to the thread that plans a cluster. Taken from below the
 * ephemeral ports, so that no outgoing connection occupies one while its process is down.
 */
public final class Ports {
    private static final int FIRST = 14_000;
    private static final int COUNT = 16_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private final Random random =
            new Random(System.nanoTime() ^ ProcessHandle.current().pid());
    private final Set<Integer> given = new HashSet<>();

    public int next() {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = FIRST + random.nextInt(COUNT);
            if (isFree(port) && given.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port found");
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
