package cleave.deploy.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks ZooKeeper, by its words of four letters, how it does and which nodes last as long as their session. Thread-safe. It needs
 * no library of ZooKeeper's.
 */
public final class ZooKeeperProbe {
    private static final int PATIENCE_MILLIS =
            Math.toIntExact(Duration.ofSeconds(1).toMillis());

    private final List<String> addresses;
    private final @Nullable SSLSocketFactory secure;
    /** The host to use in place of those that the addresses name; null for those. */
    private final @Nullable String host;

    /** In the clear. */
    public ZooKeeperProbe(List<String> addresses) {
        this(addresses, null);
    }

    /**
     * @param addresses of all servers
     * @param secure null if they are asked in the clear
     */
    public ZooKeeperProbe(List<String> addresses, @Nullable SSLSocketFactory secure) {
        this(addresses, secure, null);
    }

    private ZooKeeperProbe(List<String> addresses, @Nullable SSLSocketFactory secure, @Nullable String host) {
        this.addresses = List.copyOf(addresses);
        this.secure = secure;
        this.host = host;
    }

    /**
     * A probe for a server in this process, which is asked on the loopback interface. Its certificate names the address that others dial.
     */
    static ZooKeeperProbe ofItself(String address, @Nullable SSLSocketFactory secure) {
        return new ZooKeeperProbe(List.of(address), secure, "127.0.0.1");
    }

    /** {@code ready}, or what the first server is missing. */
    public String state() {
        return state(addresses.get(0));
    }

    /** {@code ready}, or what one server is missing. */
    public String state(String address) {
        try {
            String answer = answerOf(address, "srvr");
            return answer.contains("Mode: ") ? "ready" : answer.strip();
        } catch (IOException silent) {
            return "it does not answer";
        }
    }

    public boolean leads(String address) {
        try {
            String answer = answerOf(address, "srvr");
            return answer.contains("Mode: leader") || answer.contains("Mode: standalone");
        } catch (IOException silent) {
            return false;
        }
    }

    /** Paths of all ephemeral nodes; empty if no server answers. */
    public Optional<List<String>> ephemerals() {
        for (String address : addresses) {
            try {
                String answer = answerOf(address, "dump");
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

    public static boolean accepts(String address) {
        try (Socket socket = connected(address)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    /** The first server's answer to a word. */
    String answer(String word) throws IOException {
        return answerOf(addresses.get(0), word);
    }

    String answerOf(String address, String word) throws IOException {
        try (Socket plain = connected(host == null ? address : host + address.substring(address.lastIndexOf(':')));
                Socket socket = secure == null ? plain : secured(secure, plain, address)) {
            socket.getOutputStream().write(word.getBytes(US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private static Socket secured(SSLSocketFactory factory, Socket plain, String address) throws IOException {
        return factory.createSocket(plain, address.substring(0, address.lastIndexOf(':')), plain.getPort(), true);
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
