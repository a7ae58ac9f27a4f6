package cleave.dfs.bookkeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.TreeMap;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper and bookies in this JVM. Each can be stopped, and started again with what it stored. */
final class EmbeddedBookies implements AutoCloseable {
    private static final int TICK_MILLIS = 500;

    private final Path folder;
    private final TreeMap<Integer, EmbeddedServer> bookies = new TreeMap<>();
    private NIOServerCnxnFactory connections;
    private ZooKeeperServer zooKeeper;
    private final int port;

    EmbeddedBookies(Path folder, int count) throws Exception {
        this.folder = folder;
        connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        port = connections.getLocalPort();
        zooKeeper = newZooKeeper();
        connections.startup(zooKeeper);
        BookKeeperAdmin.initNewCluster(settings(0));
        for (int number = 1; number <= count; number++) {
            startBookie(number);
        }
    }

    private ZooKeeperServer newZooKeeper() throws IOException {
        return new ZooKeeperServer(
                folder.resolve("zk").toFile(), folder.resolve("zk").toFile(), TICK_MILLIS);
    }

    String uri(String path) {
        return "bookkeeper://127.0.0.1:" + port + path;
    }

    private ServerConfiguration settings(int number) {
        ServerConfiguration settings = new ServerConfiguration();
        settings.setMetadataServiceUri("zk+longhierarchical://127.0.0.1:" + port + "/ledgers");
        settings.setBookieId("b" + number);
        settings.setBookiePort(0);
        settings.setAllowEphemeralPorts(true);
        settings.setListeningInterface("lo");
        settings.setAllowLoopback(true);
        settings.setAdvertisedAddress("127.0.0.1");
        settings.setZkTimeout(4_000);
        settings.setJournalDirName(folder.resolve("journal" + number).toString());
        settings.setLedgerDirNames(
                new String[] {folder.resolve("ledgers" + number).toString()});
        settings.setProperty("journalPreAllocSizeMB", 1);
        settings.setProperty("journalMaxGroupWaitMSec", 0);
        settings.setEntryLogSizeLimit(16 << 20);
        settings.setDiskUsageThreshold(0.99f);
        settings.setDiskUsageWarnThreshold(0.98f);
        settings.setProperty("diskUsageLwmThreshold", 0.98f);
        settings.setGcWaitTime(1_000);
        settings.setNumAddWorkerThreads(1);
        settings.setNumReadWorkerThreads(1);
        settings.setNumHighPriorityWorkerThreads(1);
        settings.setServerNumIOThreads(1);
        return settings;
    }

    void startBookie(int number) {
        try {
            EmbeddedServer server = EmbeddedServer.builder(new BookieConfiguration(settings(number)))
                    .build();
            server.getLifecycleComponentStack().start();
            bookies.put(number, server);
        } catch (Exception failed) {
            throw new IllegalStateException("bookie " + number, failed);
        }
    }

    void stopBookie(int number) {
        EmbeddedServer server = bookies.remove(number);
        if (server != null) {
            server.getLifecycleComponentStack().close();
        }
    }

    /** Entries that reach a bookie wait, as if its process stood still. */
    void suspend(int number) {
        bookie(number).suspendProcessing();
    }

    void resume(int number) {
        bookie(number).resumeProcessing();
    }

    private org.apache.bookkeeper.proto.BookieServer bookie(int number) {
        return java.util.Objects.requireNonNull(bookies.get(number))
                .getBookieService()
                .getServer();
    }

    /** As a bookie does whose disk is full. */
    void makeReadOnly(int number) {
        ((BookieImpl) bookie(number).getBookie()).getStateManager().transitionToReadOnlyMode();
    }

    void makeWritable(int number) {
        ((BookieImpl) bookie(number).getBookie()).getStateManager().transitionToWritableMode();
    }

    /** As ZooKeeper does with one whose client was not heard of for too long. */
    void expireSession(long session) {
        zooKeeper.closeSession(session);
    }

    void stopZooKeeper() {
        connections.shutdown();
        zooKeeper.shutdown();
    }

    void startZooKeeper() {
        try {
            connections = new NIOServerCnxnFactory();
            connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
            zooKeeper = newZooKeeper();
            connections.startup(zooKeeper);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        java.util.List.copyOf(bookies.keySet()).forEach(this::stopBookie);
        stopZooKeeper();
    }
}
