package cleave.dfs.bookkeeper;

import cleave.runtime.rpc.TestPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.StateManager;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper and bookies in this JVM. Each can be stopped, and started again with its data. A bookie ends itself when it cannot
 * register anew after its session, for example if two sessions end in a row or ZooKeeper's answer is lost. It is then started again, as by
 * a supervisor.
 */
final class EmbeddedBookies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBookies.class);
    private static final int TICK_MILLIS = 500;
    /** The longest that ZooKeeper grants at this tick: on a busy machine a shorter session ends by itself. */
    private static final int SESSION_MILLIS = 20 * TICK_MILLIS;

    private static final int LOOK_MILLIS = 200;

    private final Path folder;
    private final TreeMap<Integer, EmbeddedServer> bookies = new TreeMap<>();
    /** By bookie and ledger. */
    private final Set<String> freed = ConcurrentHashMap.newKeySet();

    private final ScheduledExecutorService supervisor = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "bookies-supervisor");
        thread.setDaemon(true);
        return thread;
    });

    private final @Nullable EmbeddedTls tls;
    private final int port = TestPorts.free();
    private ServerCnxnFactory connections;
    private volatile ZooKeeperServer zooKeeper;

    EmbeddedBookies(Path folder, int count) throws Exception {
        this(folder, count, null);
    }

    /** @param tls without which nobody can connect; null if anybody can */
    EmbeddedBookies(Path folder, int count, @Nullable EmbeddedTls tls) throws Exception {
        this.folder = folder;
        this.tls = tls;
        connections = listening();
        zooKeeper = newZooKeeper();
        connections.startup(zooKeeper);
        BookKeeperAdmin.initNewCluster(settings(0));
        for (int number = 1; number <= count; number++) {
            startBookie(number);
        }
        supervisor.scheduleWithFixedDelay(this::startEnded, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private ServerCnxnFactory listening() throws IOException {
        ServerCnxnFactory made = ServerCnxnFactory.createFactory();
        made.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100, -1, tls != null);
        return made;
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
        settings.setZkTimeout(SESSION_MILLIS);
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
        if (tls != null) {
            tls.secure(settings);
        }
        return settings;
    }

    private synchronized void startEnded() {
        bookies.forEach((number, server) -> {
            if (zooKeeper.isRunning() && !server.getBookieService().getServer().isRunning()) {
                LOG.warn("bookie {} has ended and is started again", number);
                try {
                    server.getLifecycleComponentStack().close();
                    startBookie(number);
                } catch (RuntimeException failed) {
                    LOG.warn("bookie {} is started again later", number, failed);
                }
            }
        });
    }

    /** True if clients find each bookie that was not stopped, and it takes their writes. */
    synchronized boolean areWritable() {
        return bookies.keySet().stream()
                .allMatch(number -> zooKeeper.getZKDatabase().getNode("/ledgers/available/b" + number) != null);
    }

    synchronized void startBookie(int number) {
        try {
            EmbeddedServer server = EmbeddedServer.builder(new BookieConfiguration(settings(number)))
                    .build();
            server.getLifecycleComponentStack().start();
            bookies.put(number, server);
            ((BookieImpl) bookie(number).getBookie())
                    .getLedgerStorage()
                    .registerLedgerDeletionListener(ledger -> freed.add(number + " " + ledger));
        } catch (Exception failed) {
            throw new IllegalStateException("bookie " + number, failed);
        }
    }

    synchronized void stopBookie(int number) {
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

    int port(int number) throws IOException {
        return bookie(number).getLocalAddress().getPort();
    }

    private synchronized BookieServer bookie(int number) {
        return Objects.requireNonNull(bookies.get(number)).getBookieService().getServer();
    }

    /**
     * Makes it read-only, as a bookie becomes whose disk is full. A bookie that is not registered, as for a moment after its session was
     * lost, would end instead, so this registers it first.
     */
    void makeReadOnly(int number) {
        OnBookies.until(() -> isDone(() -> state(number).registerBookie(true)));
        OnBookies.until(() -> isDone(() -> state(number).transitionToReadOnlyMode())
                && state(number).isReadOnly());
    }

    void makeWritable(int number) {
        OnBookies.until(() -> isDone(() -> state(number).transitionToWritableMode())
                && !state(number).isReadOnly());
    }

    private StateManager state(int number) {
        return ((BookieImpl) bookie(number).getBookie()).getStateManager();
    }

    /** False also if the bookie ends meanwhile. */
    private static boolean isDone(Supplier<Future<Void>> work) {
        try {
            work.get().get();
            return true;
        } catch (ExecutionException | RejectedExecutionException failed) {
            return false;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Ends all sessions, as if all clients of ZooKeeper, the bookies among them, had been silent for too long. */
    void expireSessions() {
        List.copyOf(zooKeeper.getZKDatabase().getSessionWithTimeOuts().keySet()).forEach(zooKeeper::closeSession);
    }

    /** True if all bookies have freed the entries of a deleted ledger, and with them the ledger's fence. */
    synchronized boolean haveFreed(long ledger) {
        return bookies.keySet().stream().allMatch(number -> freed.contains(number + " " + ledger));
    }

    /** A writer does not wait for the last of them. */
    boolean has(int number, long ledger, long entry) {
        try {
            ((BookieImpl) bookie(number).getBookie()).readEntry(ledger, entry).release();
            return true;
        } catch (IOException | BookieException missing) {
            return false;
        }
    }

    /** Flips a bit of the copy of an entry that a bookie has on its disk. */
    synchronized void rot(int number, byte[] entry) {
        stopBookie(number); // It then writes its memory.
        try (Stream<Path> all = Files.walk(folder.resolve("ledgers" + number))) {
            int found = 0;
            for (Path log : all.filter(file -> file.toString().endsWith(".log")).toList()) {
                byte[] bytes = Files.readAllBytes(log);
                int at = indexOf(bytes, entry);
                if (at >= 0) {
                    bytes[at + entry.length / 2] ^= 4;
                    Files.write(log, bytes);
                    found++;
                }
            }
            if (found != 1) {
                throw new IllegalStateException("bookie " + number + " has the entry in " + found + " places");
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            startBookie(number);
        }
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int at = 0; at + part.length <= bytes.length; at++) {
            if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        return -1;
    }

    synchronized void restartBookies() {
        for (int number : List.copyOf(bookies.keySet())) {
            stopBookie(number);
            startBookie(number);
        }
    }

    void stopZooKeeper() {
        connections.shutdown();
        zooKeeper.shutdown();
    }

    void startZooKeeper() {
        try {
            connections = listening();
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
        supervisor.shutdownNow();
        List.copyOf(bookies.keySet()).forEach(this::stopBookie);
        stopZooKeeper();
    }
}
