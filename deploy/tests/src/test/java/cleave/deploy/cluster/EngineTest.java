package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.NodeId.Role;
import cleave.deploy.engine.EngineDisk;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {
    private static final Jvm JVM = new Jvm("a.jar", List.of("-Xmx1g", "-XX:+UseParallelGC", "-Xlog:disable"), true);

    @TempDir
    private Path dir;

    private Layout layout(int zookeepers) {
        TreeMap<Role, Integer> counts = new TreeMap<>(Map.of(Role.MASTER, 1, Role.SERVER, 1, Role.FRONT_END, 1));
        new DfsPlan(DfsKind.BOOKKEEPER, null, zookeepers).putInto(counts);
        TreeMap<String, Integer> ports = new TreeMap<>();
        int port = 800; // Nobody listens there.
        for (Role role : counts.keySet()) {
            for (int number = 1; number <= counts.get(role); number++) {
                for (String purpose : role.purposes()) {
                    ports.put(new NodeId(role, number) + "." + purpose, port++);
                }
            }
        }
        return new Layout(dir, "127.0.0.1", counts, ports, false);
    }

    /** Writes the files that the engine leaves when all of it has been ready. */
    private void formatted(Layout layout) throws IOException {
        Files.writeString(dir.resolve("bookkeeper-formatted"), "");
        for (NodeId node : layout.nodes(Role.ZOOKEEPER)) {
            Files.createDirectories(layout.folder(node).resolve("data/version-2"));
        }
        for (NodeId node : layout.nodes(Role.BOOKIE)) {
            EngineDisk.ofBookie(List.of(layout.folder(node).resolve("data"))).settle(node.toString());
        }
    }

    private static Launch launch(Layout layout, Role role, int number) {
        return new Engine(layout).launch(new NodeId(role, number), JVM);
    }

    private Map<String, String> written(String file) throws IOException {
        Properties properties = new Properties();
        properties.load(Files.newBufferedReader(dir.resolve(file)));
        Map<String, String> map = new TreeMap<>();
        properties.forEach((key, value) -> map.put(key.toString(), value.toString()));
        return map;
    }

    @Test
    void oneZooKeeperStandsAlone() throws IOException {
        Launch launch = launch(layout(1), Role.ZOOKEEPER, 1);

        assertThat(launch.command()).containsExactly("org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg");
        assertThat(written("zookeeper-1/zoo.cfg"))
                .containsEntry("clientPort", "800")
                .containsEntry("clientPortAddress", "127.0.0.1")
                .containsEntry("dataDir", "./data")
                .containsEntry("admin.enableServer", "false")
                .doesNotContainKey("server.1");
    }

    @Test
    void withTlsNothingIsTakenInTheClear(@TempDir Path scratch) throws IOException {
        Path certificates = TestAuthority.write(
                scratch.resolve("tls").resolve("dfs"), new TestAuthority(scratch).issueFor("dfs", PeerRole.DFS));
        Path ofMasters = Files.createDirectory(certificates.resolveSibling("master"));
        Files.createDirectories(dir.resolve("master-1"));
        Files.writeString(dir.resolve("master-1").resolve("config.properties"), "tls=" + ofMasters + "\n");

        launch(layout(3), Role.ZOOKEEPER, 1);
        Launch autorecovery = launch(layout(3), Role.AUTORECOVERY, 1);

        String keys = dir.resolve("zookeeper-keys.pem").toString();
        assertThat(Files.readString(Path.of(keys))).contains("BEGIN PRIVATE KEY", "BEGIN CERTIFICATE");
        assertThat(Files.getPosixFilePermissions(Path.of(keys)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(written("zookeeper-1/zoo.cfg"))
                .containsEntry("secureClientPort", "800")
                .containsEntry("ssl.clientAuth", "need")
                .containsEntry("ssl.keyStore.location", keys)
                .containsEntry(
                        "ssl.trustStore.location",
                        dir.resolve("zookeeper-authorities.pem").toString())
                .containsEntry("sslQuorum", "true")
                .containsEntry("ssl.quorum.keyStore.location", keys)
                .doesNotContainKeys("clientPort", "clientPortAddress");
        assertThat(new EngineSettings(layout(3), Engine.tls(layout(3)))
                        .bookie(new NodeId(Role.BOOKIE, 1), "bookie-1-0123abcd"))
                .containsEntry("tlsProviderFactoryClass", "cleave.dfs.bookkeeper.PeerTls")
                .containsEntry("bookieAuthProviderFactoryClass", "cleave.dfs.bookkeeper.PeersOnly")
                .containsEntry("cleave.tls", certificates.toString());
        assertThat(autorecovery.jvm().flags())
                .contains("-Dzookeeper.client.secure=true", "-Dzookeeper.ssl.keyStore.location=" + keys);
    }

    @Test
    void threeZooKeepersKnowEachOther() throws IOException {
        launch(layout(3), Role.ZOOKEEPER, 2);

        assertThat(written("zookeeper-2/zoo.cfg"))
                .containsEntry("clientPort", "803")
                .containsEntry("server.1", "127.0.0.1:801:802")
                .containsEntry("server.2", "127.0.0.1:804:805")
                .containsEntry("server.3", "127.0.0.1:807:808");
        assertThat(dir.resolve("zookeeper-2/data/myid")).hasContent("2");
    }

    @Test
    void aBookieListensWhereItSaysAndHasTheIdOfItsDisk() {
        Layout layout = layout(1);

        assertThat(new EngineSettings(layout, null).bookie(new NodeId(Role.BOOKIE, 1), "bookie-1-0123abcd"))
                .containsEntry("bookieId", "bookie-1-0123abcd")
                .containsEntry("bookiePort", "803")
                .containsEntry("advertisedAddress", "127.0.0.1")
                .containsEntry("metadataServiceUri", "zk+longhierarchical://127.0.0.1:800/ledgers")
                .containsEntry("journalMaxGroupWaitMSec", "0")
                .containsEntry("httpServerEnabled", "false");
    }

    @Test
    void itsProcessesAreSmallWhateverThoseOfCleaveAre() {
        Jvm bookie = JVM.ofBookKeeper(Role.BOOKIE);

        assertThat(bookie.flags())
                .contains("-Xmx160m", "-XX:+UseSerialGC", "-Xlog:disable")
                .doesNotContain("-Xmx1g", "-XX:+UseParallelGC");
    }

    @Test
    void rolesAreToldWhereItIs() {
        Layout layout = layout(3);

        assertThat(layout.dfs()).isEqualTo(DfsKind.BOOKKEEPER);
        assertThat(new NodeSettings(layout, dir.resolve("accounts"), Map.of()).of(layout.node("server", 1)))
                .containsEntry("dfs", "bookkeeper://127.0.0.1:800,127.0.0.1:803,127.0.0.1:806/cleave");
    }

    @Test
    void bookiesWithoutTheirMetadataAreNotStarted() throws IOException {
        Layout layout = layout(1);
        formatted(layout);
        launch(layout, Role.ZOOKEEPER, 1);
        Files.delete(dir.resolve("zookeeper-1/data/version-2"));

        assertThatThrownBy(() -> launch(layout, Role.ZOOKEEPER, 1))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("ZooKeeper's data is missing in " + dir.resolve("zookeeper-1/data"));
    }

    @Test
    void metadataWithoutAnyBookiesDiskIsNotStarted() throws IOException {
        Layout layout = layout(1);
        formatted(layout);
        for (NodeId node : layout.nodes(Role.BOOKIE)) {
            launch(layout, Role.ZOOKEEPER, 1);
            Files.delete(layout.folder(node).resolve("data/id"));
        }

        assertThatThrownBy(() -> launch(layout, Role.ZOOKEEPER, 1))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the data of all bookies is missing");
    }

    @Test
    void oneZooKeeperOfThreeMayBeEmptiedButNotTwo() throws IOException {
        Layout layout = layout(3);
        formatted(layout);
        Files.delete(dir.resolve("zookeeper-3/data/version-2"));
        launch(layout, Role.ZOOKEEPER, 3);
        Files.delete(dir.resolve("zookeeper-2/data/version-2"));

        assertThatThrownBy(() -> launch(layout, Role.ZOOKEEPER, 3)).hasMessageContaining("ZooKeeper's data is missing");
    }

    /** Two emptied servers would be a majority for the empty tree, and a start by hand looks at its own folder only. */
    @Test
    void afterTheFirstStartNoZooKeeperTakesAnEmptiedFolderForTheEmptyTree() throws IOException {
        Layout layout = layout(3);
        assertThat(launch(layout, Role.ZOOKEEPER, 1).jvm().flags()).noneMatch(flag -> flag.contains("autocreate"));

        formatted(layout);

        assertThat(launch(layout, Role.ZOOKEEPER, 1).jvm().flags()).contains("-Dzookeeper.db.autocreate=false");
        assertThat(launch(layout, Role.AUTORECOVERY, 1).jvm().flags()).noneMatch(flag -> flag.contains("autocreate"));
    }

    @Test
    void whatWasNeverReadyMayBeEmpty() throws IOException {
        Layout layout = layout(1);
        formatted(layout);
        Files.delete(dir.resolve("zookeeper-1/data/version-2"));
        Files.delete(dir.resolve("bookkeeper-formatted"));

        assertThat(launch(layout, Role.ZOOKEEPER, 1).command()).isNotEmpty();
    }

    @Test
    void aBookieWaitsForItsZooKeeper() {
        assertThatThrownBy(() -> launch(layout(1), Role.BOOKIE, 1))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("a bookie cannot start without ZooKeeper");
    }

    @Test
    void aBookieIsNotWipedWhileAnotherIsDown() throws IOException {
        Layout layout = layout(1);
        formatted(layout);
        NodeId first = new NodeId(Role.BOOKIE, 1);
        String id = EngineDisk.ofBookie(List.of(layout.folder(first).resolve("data")))
                .settle(first.toString());

        assertThatThrownBy(() -> new Engine(layout).wipe(first, JVM))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the disk of bookie-1 may hold the last copy of something: bookie-2");
        assertThat(EngineDisk.ofBookie(List.of(layout.folder(first).resolve("data")))
                        .id())
                .hasValue(id);
    }

    @Test
    void aDestroyedDiskGetsAnotherId() throws IOException {
        Layout layout = layout(1);
        formatted(layout);
        NodeId first = new NodeId(Role.BOOKIE, 1);
        EngineDisk disk = EngineDisk.ofBookie(List.of(layout.folder(first).resolve("data")));
        String id = disk.settle(first.toString());
        Files.createDirectories(layout.folder(first).resolve("data/ledgers/current"));

        new Engine(layout).destroy(first);

        assertThat(disk.id()).isEmpty();
        assertThat(disk.settle(first.toString())).isNotEqualTo(id);
    }

    @Test
    void theBookiesOfALedgerAreThoseOfAllItsParts() {
        String line = "2026-11-23T10:00:00.000Z INFO  main ListLedgersCommand log entry ledgerId=7"
                + " metadata=LedgerMetadata{formatVersion=3, ensembleSize=3, writeQuorumSize=3, ackQuorumSize=2, state=OPEN,"
                + " digestType=CRC32C, password=OMITTED, ensembles={0=[bookie-1-aa, bookie-2-bb, bookie-3-cc],"
                + " 5=[bookie-1-aa, bookie-4-dd, bookie-3-cc]}, customMetadata={cleave-path=base64:YQ==}}";

        assertThat(EngineTool.bookiesIn(line))
                .containsExactly("bookie-1-aa", "bookie-2-bb", "bookie-3-cc", "bookie-4-dd");
        assertThat(EngineTool.bookiesIn("no ledger")).isEmpty();
    }

    @Test
    void librariesThatAreThereAlreadyAreNotTakenTwice() throws IOException {
        Path target = dir.resolve("target");
        for (String jar : List.of("dfs-bookkeeper-1.jar", "dfs-bookkeeper-1-tests.jar", "lib/a.jar", "engine/b.jar")) {
            Files.createDirectories(target.resolve(jar).getParent());
            Files.writeString(target.resolve(jar), "");
        }

        String path = EngineJars.add(target, "/lib/a.jar");

        assertThat(path.split(File.pathSeparator))
                .containsExactly("/lib/a.jar", target + "/dfs-bookkeeper-1.jar", target + "/engine/b.jar");
    }

    @Test
    void whatMakesNoDfsIsRefused() {
        assertThatThrownBy(() -> DfsKind.of("hdfs")).hasMessageContaining("--dfs is stub or bookkeeper");
        assertThatThrownBy(() -> new DfsPlan(DfsKind.BOOKKEEPER, 2, null)).hasMessageContaining("at least 3, not 2");
        assertThatThrownBy(() -> new DfsPlan(DfsKind.BOOKKEEPER, null, 2)).hasMessageContaining("1, 3 or 5, not 2");
        assertThatThrownBy(() -> new DfsPlan(DfsKind.STUB, 4, null)).hasMessageContaining("belong to --dfs bookkeeper");
        assertThatThrownBy(() -> new DfsPlan(null, 4, null).putInto(new TreeMap<>()))
                .hasMessageContaining("belong to --dfs bookkeeper");
    }
}
