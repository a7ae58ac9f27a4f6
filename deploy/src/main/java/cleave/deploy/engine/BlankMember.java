package cleave.deploy.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands in for a server of ZooKeeper that has no data, at the port of its clients. It reports that, and waits until it is to begin with an
 * empty tree, or until others serve, whose tree it can copy. Confined to one thread, besides the one that asks the others.
 *
 * <p>Invariant: a server that lost its data never counts as one that has the empty tree: two such would be a majority of three, and
 * would have the third one drop everything.
 */
final class BlankMember {
    /** The word that {@code cleave engine format} sends; everyone who reaches the port could as well delete everything in ZooKeeper. */
    static final String INITIALIZE = "init";

    /** The beginning of a blank server's answer; the client addresses of the ensemble's other servers follow, one a line. */
    static final String BLANK = "This server is blank.\n";

    private static final Logger LOG = LoggerFactory.getLogger(BlankMember.class);
    private static final String INITIALIZED = "This server begins with an empty tree.\n";
    private static final int WORD_BYTES = 4;
    private static final int PATIENCE_MILLIS = 200;
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(365);

    private final int port;
    private final List<String> others;
    private final EnginePeers peers;
    private final ZooKeeperProbe probe;

    /** @param others where the ensemble's other servers are reached by clients */
    BlankMember(int port, List<String> others, EnginePeers peers) {
        this.port = port;
        this.others = List.copyOf(others);
        this.peers = peers;
        this.probe = peers.probe(others);
    }

    /** True if it is to begin with an empty tree; false if another server serves. */
    boolean await() throws IOException {
        LOG.warn("ZooKeeper's data is not here: waits for 'cleave engine format', or for others that have it");
        try (ServerSocket listening = new ServerSocket(port)) {
            Thread watch = new Thread(() -> closeWhenOthersServe(listening), "others");
            watch.setDaemon(true);
            watch.start();
            while (!listening.isClosed()) {
                try (Socket accepted = listening.accept()) {
                    accepted.setSoTimeout(PATIENCE_MILLIS);
                    if (answer(peers.accepted(accepted))) {
                        LOG.info("ZooKeeper begins with an empty tree");
                        return true;
                    }
                } catch (IOException broken) {
                    LOG.debug("a caller of the blank server went away", broken);
                }
            }
        }
        LOG.info("ZooKeeper copies the data of the others");
        return false;
    }

    /** Not between callers: the others may be blank, and ask this one in turn. */
    private void closeWhenOthersServe(ServerSocket listening) {
        Wait.until(
                () -> listening.isClosed()
                        || others.stream().anyMatch(other -> probe.state(other).equals("ready")),
                FOREVER,
                PAUSE);
        try {
            listening.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private boolean answer(Socket caller) throws IOException {
        try (caller) {
            String word = new String(caller.getInputStream().readNBytes(WORD_BYTES), US_ASCII);
            boolean begins = word.equals(INITIALIZE);
            caller.getOutputStream().write((begins ? INITIALIZED : blank()).getBytes(US_ASCII));
            caller.getOutputStream().flush();
            return begins;
        }
    }

    private String blank() {
        return BLANK + others.stream().map(other -> other + "\n").collect(Collectors.joining());
    }

    /** The others in the ensemble of a blank server, by its answer. */
    static List<String> othersIn(String answer) {
        return answer.substring(BLANK.length()).lines().toList();
    }
}
