package cleave.deploy.engine;

import cleave.deploy.terminal.Wait;
import cleave.model.Readiness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bookie, whose id is that of its disk. Thread-safe. */
final class BookieNode implements EngineNode.Part {
    private static final Logger LOG = LoggerFactory.getLogger(BookieNode.class);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(365);

    private final EngineConfig config;
    private final EnginePeers peers;
    private final String name;
    private final String id;
    private final ZooKeeperProbe zookeeper;
    private volatile String missing = "it is starting";

    /** Settles the disk's id. */
    BookieNode(EngineConfig config, EnginePeers peers, String name) {
        this.config = config;
        this.peers = peers;
        this.name = name;
        this.zookeeper = peers.probe(config.zookeepers());
        String zone = config.zone();
        this.id = EngineDisk.ofBookie(config.bookieFolders()).settle(BookieZone.name(name, zone));
        if (!zone.isEmpty() && !BookieZone.of(id).equals(Optional.of(zone))) {
            LOG.warn(
                    "the bookie's disk was first used in another zone, or in none, by which copies are placed on it until it is replaced"
                            + " by an empty one id={} zone={}",
                    id,
                    zone);
        }
    }

    @Override
    public EngineProgram program() {
        return EngineProgram.BOOKIE;
    }

    @Override
    public String name() {
        return "bookie " + id;
    }

    @Override
    public String address() {
        return config.text("advertisedAddress") + ":" + config.text("bookiePort");
    }

    @Override
    public String[] await() {
        Formatted.await(config, zookeeper, why -> missing = why);
        awaitEndOfFormerDisk();
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "bookie.conf");
        return new String[] {
            "--conf",
            peers.ofBookie(config)
                    .withMetrics()
                    .with("bookieId", id)
                    .write(file)
                    .toString()
        };
    }

    /**
     * Waits until a former disk of this address, under another id, is no longer registered, which is when its session ends. Until then the
     * others would look for its data here, and would find a disk that has none of it.
     */
    private void awaitEndOfFormerDisk() {
        Wait.until(
                () -> {
                    Optional<List<String>> former = zookeeper
                            .ephemerals()
                            .map(all -> all.stream().filter(this::isFormerDisk).toList());
                    missing = former.map(paths -> "a former disk is still registered in ZooKeeper: " + paths)
                            .orElse("ZooKeeper does not answer");
                    if (former.isPresent() && !former.get().isEmpty()) {
                        LOG.warn(
                                "bookie waits until its former disk is not registered any more paths={}", former.get());
                    }
                    return former.isPresent() && former.get().isEmpty();
                },
                FOREVER,
                PAUSE);
        missing = "it is starting";
    }

    private boolean isFormerDisk(String path) {
        return Stream.of(writable(""), readOnly(""))
                .filter(path::startsWith)
                .map(folder -> path.substring(folder.length()))
                .anyMatch(other -> EngineDisk.isNamed(other, name) && !other.equals(id));
    }

    private String writable(String of) {
        return config.ledgers() + "/available/" + of;
    }

    private String readOnly(String of) {
        return config.ledgers() + "/available/readonly/" + of;
    }

    @Override
    public List<Path> folders() {
        return config.bookieFolders();
    }

    @Override
    public Readiness readiness() {
        if (!ZooKeeperProbe.accepts("127.0.0.1:" + config.text("bookiePort"))) {
            return Readiness.missing(missing);
        }
        Optional<List<String>> all = zookeeper.ephemerals();
        if (all.isEmpty()) {
            return Readiness.missing("ZooKeeper does not answer");
        }
        if (all.get().contains(writable(id))) {
            return Readiness.READY;
        }
        return Readiness.missing(
                all.get().contains(readOnly(id))
                        ? "it takes no more data: its disk is full, or failing; see its log"
                        : "it is not registered in ZooKeeper");
    }
}
