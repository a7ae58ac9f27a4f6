package cleave.deploy.cluster;

import cleave.deploy.engine.EngineDisk;
import cleave.deploy.engine.EngineTls;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of ZooKeeper, bookies and autorecovery, small enough for all of them on one machine. Stateless. Paths are relative
 * to the node's folder, in which its process runs.
 */
final class EngineSettings {
    /** The node of BookKeeper's metadata in ZooKeeper. */
    static final String LEDGERS = "/ledgers";
    /** ZooKeeper counts a bookie as lost after this time without a sign of it. A shorter outage of ZooKeeper costs no bookie. */
    static final int SESSION_SECONDS = 30;

    private static final int TICK_SECONDS = 2;
    private static final int MILLIS = 1_000;

    private final Layout layout;
    private final @Nullable EngineTls tls;

    /** @param tls null if the processes talk in the clear */
    EngineSettings(Layout layout, @Nullable EngineTls tls) {
        this.layout = layout;
        this.tls = tls;
    }

    /** Writes the settings that a node reads at its start, again each time, and returns the file. */
    Path write(NodeId node) {
        Path folder = layout.folder(node);
        try {
            PrivateFiles.make(folder);
            PrivateFiles.make(data(node));
            return switch (node.role()) {
                case ZOOKEEPER -> {
                    PrivateFiles.write(data(node).resolve("myid"), node.number() + "\n");
                    yield write(folder.resolve("zoo.cfg"), zookeeper(node));
                }
                case BOOKIE ->
                    write(
                            folder.resolve("bookie.conf"),
                            bookie(
                                    node,
                                    EngineDisk.ofBookie(List.of(data(node))).settle(node.toString())));
                case AUTORECOVERY -> write(folder.resolve("autorecovery.conf"), autorecovery(node));
                case DFS, MASTER, SERVER, FRONT_END, BOARD -> throw new IllegalArgumentException(node.toString());
            };
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Writes the settings that BookKeeper's tools need. */
    Path writeClient(Path folder) {
        try {
            PrivateFiles.make(folder);
            return write(folder.resolve("client.conf"), metadata());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Path write(Path file, Map<String, String> settings) throws IOException {
        return PrivateFiles.write(
                file,
                settings.entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                        .collect(Collectors.joining("", "# Written by 'cleave cluster' at each start.\n", "")));
    }

    /** Everything that a bookie, and that ZooKeeper, must not lose. */
    Path data(NodeId node) {
        return layout.folder(node).resolve("data");
    }

    Map<String, String> zookeeper(NodeId node) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("dataDir", "./data");
        settings.put(tls == null ? "clientPortAddress" : "secureClientPortAddress", layout.host());
        settings.put(tls == null ? "clientPort" : "secureClientPort", port(node, "port"));
        settings.put("tickTime", millis(TICK_SECONDS));
        settings.put("maxSessionTimeout", millis(2 * SESSION_SECONDS));
        settings.put("maxClientCnxns", "0");
        settings.put("admin.enableServer", "false");
        settings.put("4lw.commands.whitelist", "srvr,dump");
        settings.put("autopurge.purgeInterval", "1");
        settings.put("preAllocSize", "4096");
        List<NodeId> all = layout.nodes(NodeId.Role.ZOOKEEPER);
        if (tls != null) {
            settings.putAll(tls.ofZooKeeper(all.size() > 1));
        }
        if (all.size() > 1) {
            settings.put("initLimit", "10");
            settings.put("syncLimit", "5");
            all.forEach(member -> settings.put(
                    "server." + member.number(), layout.address(member, "quorum") + ":" + port(member, "election")));
        }
        return settings;
    }

    Map<String, String> bookie(NodeId node, String id) {
        Map<String, String> settings = member(id);
        settings.put("bookiePort", port(node, "port"));
        // Given any interface, it listens on its advertised address alone.
        settings.put("listeningInterface", "lo");
        settings.put("journalDirectories", "data/journal");
        settings.put("ledgerDirectories", "data/ledgers");
        // The default adds 3 ms to each append in order to sync more of them at once.
        settings.put("journalMaxGroupWaitMSec", "0");
        settings.put("journalMaxSizeMB", "128");
        settings.put("journalPreAllocSizeMB", "4");
        settings.put("journalMaxBackups", "1");
        settings.put("ledgerStorageClass", "org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage");
        settings.put("dbStorage_writeCacheMaxSizeMb", "32");
        settings.put("dbStorage_readAheadCacheMaxSizeMb", "16");
        // Entries have up to 1 MiB: with the default of 512 bytes, each takes two thousand system calls to read.
        settings.put("readBufferSizeBytes", Integer.toString(32 << 10));
        // By default a bookie reads 100 entries ahead of each. Files that are read at once would push each other's
        // entries
        // out of the cache before they are used.
        settings.put("dbStorage_readAheadCacheBatchBytesSize", Integer.toString(256 << 10));
        settings.put("dbStorage_rocksDB_blockCacheSize", Integer.toString(8 << 20));
        settings.put("logSizeLimit", Integer.toString(64 << 20));
        // Frees the space of deleted ledgers soon, at the cost of copying the rest of their entry logs: the disk is
        // that of somebody's machine. The defaults wait for an hour, and for a day.
        settings.put("gcWaitTime", millis(60));
        settings.put("minorCompactionThreshold", "0.5");
        settings.put("minorCompactionInterval", "120");
        settings.put("majorCompactionThreshold", "0.8");
        settings.put("majorCompactionInterval", "600");
        settings.put("numAddWorkerThreads", "1");
        settings.put("numReadWorkerThreads", "2");
        settings.put("numHighPriorityWorkerThreads", "2");
        settings.put("numJournalCallbackThreads", "1");
        settings.put("serverNumIOThreads", "2");
        settings.put("diskUsageLwmThreshold", "0.95");
        settings.put("diskUsageWarnThreshold", "0.95");
        settings.put("diskUsageThreshold", "0.97");
        settings.put("autoRecoveryDaemonEnabled", "false");
        if (tls != null) {
            settings.putAll(tls.ofBookie());
        }
        return settings;
    }

    Map<String, String> autorecovery(NodeId node) {
        Map<String, String> settings = member(node.toString());
        // A lost bookie is replaced as soon as ZooKeeper's session with it has ended.
        settings.put("lostBookieRecoveryDelay", "0");
        settings.put("openLedgerRereplicationGracePeriod", millis(30));
        // It waits this long after each ledger that was deleted meanwhile, which often happens to Cleave's; the default
        // is 5 s.
        settings.put("rwRereplicateBackoffMs", "100");
        // The number of entries that it copies at once; those of logs are small.
        settings.put("rereplicationEntryBatchSize", "20");
        return settings;
    }

    private Map<String, String> member(String id) {
        Map<String, String> settings = metadata();
        settings.put("bookieId", id);
        settings.put("advertisedAddress", layout.host());
        settings.put("allowLoopback", "true");
        settings.put("httpServerEnabled", "false");
        settings.put("zkTimeout", millis(SESSION_SECONDS));
        return settings;
    }

    private Map<String, String> metadata() {
        Map<String, String> settings = new TreeMap<>();
        settings.put(
                "metadataServiceUri",
                "zk+longhierarchical://" + String.join(";", layout.addresses(NodeId.Role.ZOOKEEPER)) + LEDGERS);
        if (tls != null) {
            settings.putAll(tls.ofBookKeeper());
        }
        return settings;
    }

    private String port(NodeId node, String purpose) {
        String address = layout.address(node, purpose);
        return address.substring(address.lastIndexOf(':') + 1);
    }

    private static String millis(int seconds) {
        return Integer.toString(seconds * MILLIS);
    }
}
