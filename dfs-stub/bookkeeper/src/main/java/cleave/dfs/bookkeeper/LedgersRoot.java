package cleave.dfs.bookkeeper;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.meta.MetadataDrivers;
import org.apache.bookkeeper.meta.exceptions.MetadataException;

/** The node of BookKeeper's own metadata in ZooKeeper, without which no bookie starts. Stateless. Called by name, from {@code cleave engine}. */
public final class LedgersRoot {
    private LedgersRoot() {}

    /** True if it was made now; false if it was there, and then it was not changed. */
    public static boolean make(String metadataServiceUri) throws IOException {
        try {
            if (BookKeeperAdmin.initNewCluster(settings(metadataServiceUri))) {
                return true;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (Exception failed) { // BookKeeper declares it so.
            throw new IOException("the metadata of BookKeeper cannot be made at " + metadataServiceUri, failed);
        }
        if (!exists(metadataServiceUri)) {
            throw new IOException(metadataServiceUri + " is there, but not as BookKeeper makes it");
        }
        return false;
    }

    public static boolean exists(String metadataServiceUri) throws IOException {
        try {
            return MetadataDrivers.runFunctionWithRegistrationManager(
                    settings(metadataServiceUri), LedgersRoot::hasInstance);
        } catch (MetadataException | ExecutionException failed) {
            throw new IOException("the metadata of BookKeeper cannot be read at " + metadataServiceUri, failed);
        }
    }

    private static boolean hasInstance(RegistrationManager manager) {
        try {
            return !manager.getClusterInstanceId().isEmpty();
        } catch (BookieException missing) {
            return false;
        }
    }

    private static ServerConfiguration settings(String metadataServiceUri) {
        ServerConfiguration settings = new ServerConfiguration();
        settings.setMetadataServiceUri(metadataServiceUri);
        return settings;
    }
}
