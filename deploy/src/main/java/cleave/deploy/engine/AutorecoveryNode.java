package cleave.deploy.engine;

import cleave.deploy.terminal.Wait;
import cleave.model.Readiness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Copies the data of lost bookies to others. Thread-safe. */
final class AutorecoveryNode implements EngineNode.Part {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(365);

    private final EngineConfig config;
    private final EnginePeers peers;
    private final String name;
    private final ZooKeeperProbe zookeeper;
    private volatile String missing = "it is starting";
    private volatile boolean started;

    AutorecoveryNode(EngineConfig config, EnginePeers peers, String name) {
        this.config = config;
        this.peers = peers;
        this.name = name;
        this.zookeeper = peers.probe(config.zookeepers());
    }

    @Override
    public EngineProgram program() {
        return EngineProgram.AUTORECOVERY;
    }

    @Override
    public String name() {
        return "autorecovery " + name;
    }

    /** It is not called by anyone. */
    @Override
    public String address() {
        return "none";
    }

    @Override
    public String[] await() {
        Formatted.await(config, zookeeper, why -> missing = why);
        awaitBookie();
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "autorecovery.conf");
        String written = peers.ofBookKeeper(config)
                .withMetrics()
                .with("ensemblePlacementPolicy", BookieZone.PLACEMENT)
                .with("minNumRacksPerWriteQuorum", "3")
                .with("bookieId", name)
                .write(file)
                .toString();
        started = true;
        return new String[] {"--conf", written};
    }

    /** Where no bookie has ever been, the program ends at once. */
    private void awaitBookie() {
        Wait.until(
                () -> {
                    Optional<List<String>> all = zookeeper.ephemerals();
                    missing =
                            all.isPresent() ? "no bookie is registered in ZooKeeper yet" : "ZooKeeper does not answer";
                    return all.isPresent() && hasBookie(all.get(), config.ledgers());
                },
                FOREVER,
                PAUSE);
        missing = "it is starting";
    }

    /** @param ephemerals paths in ZooKeeper */
    static boolean hasBookie(List<String> ephemerals, String ledgers) {
        return ephemerals.stream().anyMatch(path -> path.startsWith(ledgers + "/available/"));
    }

    @Override
    public List<Path> folders() {
        return List.of();
    }

    /** An auditor is elected among all of these processes; each of them copies. */
    @Override
    public Readiness readiness() {
        if (!started) {
            return Readiness.missing(missing);
        }
        return zookeeper
                .ephemerals()
                .map(all -> all.stream()
                                .anyMatch(path ->
                                        path.startsWith(config.ledgers() + "/underreplication/auditorelection/"))
                        ? Readiness.READY
                        : Readiness.missing("no auditor is registered in ZooKeeper"))
                .orElse(Readiness.missing("ZooKeeper does not answer"));
    }
}
