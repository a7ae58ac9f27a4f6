package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import cleave.model.Readiness;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A server of ZooKeeper that keeps out of elections when its data is lost. Thread-safe. */
final class ZooKeeperNode implements EngineNode.Part {
    /** A file in the log's folder: with it ZooKeeper takes empty folders for the empty tree. It removes the file. */
    private static final String PERMISSION = "initialize";

    private final EngineConfig config;
    private final EnginePeers peers;
    private final ZooKeeperProbe itself;
    private final int number;
    private final String address;
    private final int port;
    private final Path data;
    private final Path log;
    private volatile boolean isBlank;

    /** Settles the disk's id and the server's number. */
    ZooKeeperNode(EngineConfig config, EnginePeers peers, String name) {
        this.config = config;
        this.peers = peers;
        this.number = config.member(name);
        this.address = config.addressOf(name);
        this.port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        this.itself = peers.probeOfItself(address);
        this.data = Path.of(config.text("dataDir"));
        this.log = Path.of(config.settings().getOrDefault("dataLogDir", data.toString()));
        EngineDisk.ofZooKeeper(folders()).settle(name);
        settleNumber();
    }

    private void settleNumber() {
        Path file = data.resolve("myid");
        try {
            if (Files.exists(file) && !Files.readString(file).isBlank()) {
                String before = Files.readString(file).strip();
                if (!before.equals(Integer.toString(number))) {
                    throw CommandFailure.failed("the data in " + data + " is that of the ZooKeeper server " + before
                            + ", and this is " + number);
                }
            }
            PrivateFiles.write(file, number + "\n");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public EngineProgram program() {
        return EngineProgram.ZOOKEEPER;
    }

    @Override
    public String name() {
        return "zookeeper " + number;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String[] await() throws IOException {
        // Without it ZooKeeper takes a folder that was emptied for the empty tree.
        System.setProperty("zookeeper.db.autocreate", "false");
        if (!hasData()) {
            isBlank = true;
            List<String> others = config.members().entrySet().stream()
                    .filter(member -> member.getKey() != number)
                    .map(member -> EngineConfig.clientAddress(member.getValue()))
                    .toList();
            if (new BlankMember(port, others, peers).await()) {
                PrivateFiles.write(log.resolve(PERMISSION), "");
            }
            isBlank = false;
        }
        return new String[] {
            peers.ofZooKeeper(config, number)
                    .write(Path.of(System.getProperty("java.io.tmpdir"), "zoo.cfg"))
                    .toString()
        };
    }

    private boolean hasData() throws IOException {
        if (Files.exists(log.resolve(PERMISSION))) {
            return true;
        }
        for (Path folder : List.of(data.resolve("version-2"), log.resolve("version-2"))) {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    if (files.map(file -> String.valueOf(file.getFileName()))
                            .anyMatch(file -> file.startsWith("snapshot.") || file.startsWith("log."))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    @Override
    public List<Path> folders() {
        return Stream.of(data, log).distinct().toList();
    }

    @Override
    public Readiness readiness() {
        if (isBlank) {
            return Readiness.missing(
                    "it is blank: 'cleave engine format' prepares a new ensemble, once; in an old one, its data"
                            + " is lost, and it copies that of the others as soon as most of them serve");
        }
        String answer = itself.state();
        return answer.equals("ready") ? Readiness.READY : Readiness.missing(answer);
    }

    /** Answers questions about this server. */
    ZooKeeperProbe itself() {
        return itself;
    }
}
