package cleave.deploy.role;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsException;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The client of the DFS that the roles of one process have in common: opened for the first, closed after the last. Thread-safe. A
 * folder lets only one in, so a process with several roles must share it.
 */
public final class SharedDfs {
    private final ReentrantLock lock = new ReentrantLock();
    private final String uri;
    private final long spaceReserve;
    private @Nullable Dfs open;
    private int users;

    SharedDfs(String uri, long spaceReserve) {
        this.uri = uri;
        this.spaceReserve = spaceReserve;
    }

    /** The one of the settings {@code dfs} and {@code dfs.space-reserve}, which counts for a folder. */
    public static SharedDfs from(Settings settings) {
        return new SharedDfs(settings.text("dfs"), settings.bytes("dfs.space-reserve", "0"));
    }

    /**
     * Takes the client, which must be {@linkplain #giveBack given back} once.
     *
     * @param transport to it, for the first that takes it
     */
    Dfs take(CollectorRegistry registry, Transport transport) {
        lock.lock();
        try {
            Dfs taken = open;
            if (taken == null) {
                taken = open(registry, transport);
                open = taken;
            }
            users++;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private Dfs open(CollectorRegistry registry, Transport transport) {
        try {
            DfsMetrics metrics = uri.startsWith("file:") ? new DfsMetrics(registry) : DfsMetrics.ofClient(registry);
            return DfsClients.open(uri, spaceReserve, transport, metrics);
        } catch (DfsException refused) {
            throw refused.reason() == DfsException.Reason.INVALID
                    ? new BadSetting("setting dfs: " + refused.getMessage())
                    : refused;
        }
    }

    void giveBack() {
        lock.lock();
        try {
            users--;
            Dfs taken = open;
            if (users == 0 && taken != null) {
                open = null;
                taken.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
