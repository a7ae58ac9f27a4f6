package cleave.deploy.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks ZooKeeper, by its words of four letters, how it does and which nodes last as long as their session. Thread-safe. It needs
 * no library of ZooKeeper's.
 */
final class ZooKeeperProbe {
    private static final int PATIENCE_MILLIS =
            Math.toIntExact(Duration.ofSeconds(1).toMillis());

    private final List<String> addresses;

    /** @param addresses of all servers */
    ZooKeeperProbe(List<String> addresses) {
        this.addresses = List.copyOf(addresses);
    }

    /** {@code ready}, or what is missing. */
    static String ask(String address) {
        try {
            String answer = answer(address, "srvr");
            return answer.contains("Mode: ") ? "ready" : answer.strip();
        } catch (IOException silent) {
            return "it does not answer";
        }
    }

    static boolean leads(String address) {
        try {
            String answer = answer(address, "srvr");
            return answer.contains("Mode: leader") || answer.contains("Mode: standalone");
        } catch (IOException silent) {
            return false;
        }
    }

    /** Paths of all ephemeral nodes; empty if no server answers. */
    Optional<List<String>> ephemerals() {
        for (String address : addresses) {
            try {
                String answer = answer(address, "dump");
                if (answer.contains("ephemeral")) {
                    return Optional.of(answer.lines()
                            .map(String::strip)
                            .filter(line -> line.startsWith("/"))
                            .toList());
                }
            } catch (IOException silent) {
                // The next one may answer.
            }
        }
        return Optional.empty();
    }

    static boolean accepts(String address) {
        try (Socket socket = connected(address)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    private static String answer(String address, String word) throws IOException {
        try (Socket socket = connected(address)) {
            socket.getOutputStream().write(word.getBytes(US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private static Socket connected(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        Socket socket = new Socket();
        try {
            socket.connect(
                    new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                    PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return socket;
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }
}
