package cleave.dfs.bookkeeper;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.bookkeeper.zookeeper.ZooKeeperWatcherBase;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A client of ZooKeeper that renews its session, with settings for itself alone. Thread-safe.
 *
 * <p>BookKeeper's client, which renews sessions, leaves no other way to settings than the properties of the system, of which each handle of
 * ZooKeeper takes a copy when it is made. So they are set for that moment only: other clients in this process are not affected.
 */
@SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
final class RenewingZooKeeper extends ZooKeeperClient {
    private static final ReentrantLock PROPERTIES = new ReentrantLock();

    private final Map<String, String> settings;

    private RenewingZooKeeper(
            String servers,
            int sessionMillis,
            ZooKeeperWatcherBase watcher,
            RetryPolicy operations,
            Map<String, String> settings)
            throws IOException {
        super(
                servers,
                sessionMillis,
                watcher,
                new BoundExponentialBackoffRetryPolicy(0, 0, Integer.MAX_VALUE),
                operations,
                NullStatsLogger.INSTANCE,
                1,
                0,
                false);
        this.settings = settings;
    }

    /**
     * Waits for ZooKeeper.
     *
     * @param operations repeats operations that found no connection
     * @param settings of ZooKeeper's client; none to talk in the clear
     */
    static RenewingZooKeeper connect(
            String servers, int sessionMillis, RetryPolicy operations, Map<String, String> settings)
            throws IOException, KeeperException, InterruptedException {
        ZooKeeperWatcherBase watcher = new ZooKeeperWatcherBase(sessionMillis, false);
        RenewingZooKeeper client =
                with(settings, () -> new RenewingZooKeeper(servers, sessionMillis, watcher, operations, settings));
        try {
            client.waitForConnection();
            return client;
        } catch (KeeperException | InterruptedException failed) {
            client.close();
            throw failed;
        }
    }

    /** Makes the handle of a session after the first. */
    @Override
    protected ZooKeeper createZooKeeper() throws IOException {
        return with(settings, super::createZooKeeper);
    }

    private interface Construction<T> {
        T make() throws IOException;
    }

    private static <T> T with(Map<String, String> settings, Construction<T> construction) throws IOException {
        PROPERTIES.lock();
        Map<String, @Nullable String> before = new HashMap<>();
        try {
            settings.forEach((key, value) -> before.put(key, System.setProperty(key, value)));
            return construction.make();
        } finally {
            before.forEach(RenewingZooKeeper::restore);
            PROPERTIES.unlock();
        }
    }

    private static void restore(String key, @Nullable String value) {
        if (value == null) {
            System.clearProperty(key);
        } else {
            System.setProperty(key, value);
        }
    }
}
