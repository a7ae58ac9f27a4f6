package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.Nodes.Node;
import cleave.dfs.bookkeeper.state.Bookies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.meta.LedgerMetadataSerDe;
import org.apache.bookkeeper.util.StringUtils;
import org.jspecify.annotations.Nullable;

/** The ledgers of files, on the bookies. Thread-safe. */
final class Ledgers {
    /** The key of an entry in a ledger's metadata, by which a ledger whose name was never written is found. */
    private static final String ROOT = "cleave-root";

    private static final String PATH = "cleave-path";

    private static final LedgerMetadataSerDe FORMAT = new LedgerMetadataSerDe();

    private final LedgerClient client;
    private final Nodes nodes;
    private final String root;
    private final String ledgersPath;

    /** @param root the node of the cluster's names */
    Ledgers(LedgerClient client, Nodes nodes, String root, String ledgersPath) {
        this.client = client;
        this.nodes = nodes;
        this.root = root;
        this.ledgersPath = ledgersPath;
    }

    LedgerClient client() {
        return client;
    }

    /** Creates a ledger with three copies, or with two where only two bookies are up. */
    CompletableFuture<WriteHandle> create(String path) {
        return create(path, client::create);
    }

    /** The same, of a file that only takes barriers. */
    CompletableFuture<WriteHandle> createFence(String path) {
        return create(path, client::createDeferred);
    }

    private CompletableFuture<WriteHandle> create(
            String path, BiFunction<Integer, Map<String, byte[]>, CompletableFuture<WriteHandle>> making) {
        Map<String, byte[]> custom = Map.of(ROOT, bytes(root), PATH, bytes(path));
        return Failures.recover(
                making.apply(Bookies.COPIES, custom),
                failure -> Failures.cause(failure) instanceof BKException.BKNotEnoughBookiesException,
                () -> making.apply(Bookies.ACKNOWLEDGED, custom));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a ledger for reading; its writer may still have it open. */
    CompletableFuture<ReadHandle> open(long ledger) {
        return client.open(ledger, false);
    }

    /**
     * Seals a ledger that another process may be writing: fences it at the bookies, finds its end, and writes that into its metadata. Nothing is
     * appended afterwards. Idempotent.
     */
    CompletableFuture<ReadHandle> recover(long ledger) {
        return client.open(ledger, true);
    }

    /** The length of a ledger that takes no more; one that is open is {@linkplain #recover recovered} first. */
    CompletableFuture<Long> sealed(long ledger) {
        return metadata(ledger)
                .thenCompose(metadata -> metadata.isClosed()
                        ? CompletableFuture.completedFuture(metadata.getLength())
                        : recover(ledger).thenApply(recovered -> {
                            long length = recovered.getLength();
                            recovered.closeAsync();
                            return length;
                        }));
    }

    /**
     * ZooKeeper's record of a ledger. Immutable.
     *
     * @param zxid the change that made or {@linkplain #touch touched} the ledger, or changed its metadata
     * @param version of the node
     */
    record Kept(LedgerMetadata metadata, long zxid, int version) {}

    /** ZooKeeper's node for the metadata of a ledger. */
    static String node(String ledgersPath, long ledger) {
        return ledgersPath + StringUtils.getLongHierarchicalLedgerPath(ledger);
    }

    CompletableFuture<LedgerMetadata> metadata(long ledger) {
        return kept(ledger).thenApply(Kept::metadata);
    }

    /**
     * Reads it in the session of ZooKeeper that reads names, so it is not older than a name that was read before. BookKeeper's client has
     * its own session, which may lag behind.
     */
    CompletableFuture<Kept> kept(long ledger) {
        return nodes.get(node(ledgersPath, ledger)).handle((found, failure) -> {
            if (failure != null) {
                throw new DfsException(
                        Reason.UNAVAILABLE,
                        "ledger " + ledger + ": " + Failures.cause(failure).getMessage());
            }
            Node kept = found.orElseThrow(
                    () -> new CompletionException(new BKException.BKNoSuchLedgerExistsOnMetadataServerException()));
            try {
                return new Kept(
                        FORMAT.parseConfig(
                                kept.data(), ledger, Optional.of(kept.stat().getCtime())),
                        kept.stat().getMzxid(),
                        kept.stat().getVersion());
            } catch (IOException | RuntimeException malformed) {
                throw new DfsException(
                        Reason.DAMAGED, "the metadata of ledger " + ledger + ": " + malformed, malformed);
            }
        });
    }

    /**
     * Writes the metadata as they are, so that the ledger is {@linkplain Kept#zxid as young} as this call. BookKeeper's client, which compares
     * versions, reads them again. If that fails, or anything else changes them meanwhile, nothing is done.
     */
    CompletableFuture<Void> touch(long ledger) {
        String node = node(ledgersPath, ledger);
        return nodes.get(node)
                .thenCompose(found -> found.isPresent()
                        ? nodes.set(node, found.get().data(), found.get().stat().getVersion())
                        : CompletableFuture.completedFuture(null))
                .handle((touched, failure) -> null);
    }

    /** The path for which a ledger was created; null if that was not this cluster. */
    @Nullable
    String pathOf(LedgerMetadata metadata) {
        Map<String, byte[]> custom = metadata.getCustomMetadata();
        byte[] ofRoot = custom.get(ROOT);
        byte[] path = custom.get(PATH);
        boolean isOurs = ofRoot != null && path != null && new String(ofRoot, StandardCharsets.UTF_8).equals(root);
        return isOurs ? new String(path, StandardCharsets.UTF_8) : null;
    }

    /** Idempotent. The bookies free the space when they collect garbage. */
    CompletableFuture<Void> delete(long ledger) {
        return Failures.recover(
                client.delete(ledger), Failures::isMissingLedger, () -> CompletableFuture.completedFuture(null));
    }
}
