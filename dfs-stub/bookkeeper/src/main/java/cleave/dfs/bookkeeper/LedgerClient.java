package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.state.Bookies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;

/** BookKeeper's client, as files need it. Thread-safe. */
interface LedgerClient {
    /** The number of bookies that accept entries, and of those that are up but do not. */
    CompletableFuture<Bookies> bookies();

    CompletableFuture<WriteHandle> create(int copies, Map<String, byte[]> customMetadata);

    /**
     * Creates a ledger whose entries bookies acknowledge before they have synced them; a fence is synced all the same. It ends when too
     * few bookies take an entry: BookKeeper replaces none in such a ledger.
     */
    CompletableFuture<WriteHandle> createDeferred(int copies, Map<String, byte[]> customMetadata);

    /** @param recover whether its writer is fenced, and its end found and written into its metadata, before it is opened */
    CompletableFuture<ReadHandle> open(long ledger, boolean recover);

    CompletableFuture<Void> delete(long ledger);

    /** The last entry of an open ledger that is stored, acknowledged or not; -1 if none is. */
    CompletableFuture<Long> lastStored(long ledger, LedgerMetadata metadata);

    /** The ledgers of all clusters and other users. */
    Pages all();

    /** Some ledgers at a time. */
    interface Pages {
        /** Empty at the end. */
        CompletableFuture<Optional<List<Long>>> next();
    }
}
