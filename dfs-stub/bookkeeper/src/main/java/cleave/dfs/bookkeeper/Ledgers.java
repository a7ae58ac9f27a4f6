package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Bookies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.discover.RegistrationClient;
import org.apache.bookkeeper.meta.LedgerMetadataSerDe;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.util.StringUtils;
import org.apache.bookkeeper.versioning.Versioned;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledgers of files, on the bookies. Thread-safe. */
final class Ledgers {
    private static final Logger LOG = LoggerFactory.getLogger(Ledgers.class);

    /** Guards nothing: everyone who reaches a bookie may do anything. */
    private static final byte[] PASSWORD = "cleave".getBytes(StandardCharsets.US_ASCII);

    private static final DigestType DIGEST = DigestType.CRC32C;

    /** The key of an entry in a ledger's metadata, by which a ledger whose name was never written is found. */
    private static final String ROOT = "cleave-root";

    private static final String PATH = "cleave-path";

    private static final LedgerMetadataSerDe FORMAT = new LedgerMetadataSerDe();

    private final BookKeeper bookKeeper;
    private final BookKeeper replacing;
    private final ZooKeeper zooKeeper;
    private final String root;
    private final String ledgersPath;
    /** Whether there were more bookies than a ledger has copies when they were counted last. */
    private final AtomicBoolean spares = new AtomicBoolean();

    /** @param replacing the client for ledgers that are created while there are spare bookies */
    Ledgers(BookKeeper bookKeeper, BookKeeper replacing, ZooKeeper zooKeeper, BookKeeperUri uri) {
        this.bookKeeper = bookKeeper;
        this.replacing = replacing;
        this.zooKeeper = zooKeeper;
        this.root = uri.path();
        this.ledgersPath = uri.ledgersPath();
    }

    /**
     * The settings of the client.
     *
     * @param replacesAtOnce whether a failed bookie is replaced at once, or only when another one has failed
     */
    static ClientConfiguration settings(BookKeeperUri uri, int sessionMillis, boolean replacesAtOnce) {
        ClientConfiguration settings = new ClientConfiguration();
        settings.setMetadataServiceUri(uri.metadataServiceUri());
        settings.setZkTimeout(sessionMillis);
        settings.setNumWorkerThreads(2);
        settings.setNumIOThreads(2);
        settings.setClientConnectTimeoutMillis(1_000);
        // This process keeps the messages to a bookie whose process stands still until the connection ends, though
        // nobody waits for them any more. Without this they would fill the memory.
        settings.setTcpUserTimeoutMillis(5_000);
        // A bookie that answers no append for this long is replaced. Nobody waits for it, since appends are
        // acknowledged once two bookies have them.
        settings.setAddEntryTimeout(2);
        settings.setReadEntryTimeout(5);
        // A slow bookie's answer is not waited for: another copy is asked. Less than this, and bookies that are busy
        // with large entries get
        // each read three times. A seal asks all copies anyway.
        settings.setFirstSpeculativeReadTimeout(500);
        settings.setMaxSpeculativeReadTimeout(2_000);
        settings.setEnableParallelRecoveryRead(true);
        // A bookie reads ahead, so the same one is asked for the following entries; one that was slow is asked last.
        settings.setStickyReadsEnabled(true);
        settings.setReorderReadSequenceEnabled(true);
        // With a spare bookie, a failed one is replaced at once. With none, that would break the ledger, so it is kept
        // until another fails.
        settings.setDelayEnsembleChange(!replacesAtOnce);
        // The delay with which other processes see the last append of an open file. Each ledger costs a message as
        // often; with 20 ms a third of the throughput is lost.
        settings.setExplictLacInterval(1_000);
        // The callers' own bounds hold.
        settings.setThrottleValue(0);
        return settings;
    }

    /** The number of bookies that accept entries, and of those that are up but do not. */
    CompletableFuture<Bookies> bookies() {
        RegistrationClient registered = bookKeeper.getMetadataClientDriver().getRegistrationClient();
        return registered
                .getWritableBookies()
                .thenCombine(registered.getReadOnlyBookies(), Ledgers::counted)
                .thenApply(bookies -> {
                    if (spares.compareAndSet(!bookies.hasSpares(), bookies.hasSpares())) {
                        LOG.info(
                                "number of bookies changed writable={} failed-ones-are-replaced={}",
                                bookies.writable(),
                                bookies.hasSpares() ? "at once" : "when a second one fails");
                    }
                    return bookies;
                });
    }

    private static Bookies counted(Versioned<Set<BookieId>> writable, Versioned<Set<BookieId>> readOnly) {
        return new Bookies(writable.getValue().size(), readOnly.getValue().size());
    }

    /**
     * Creates a ledger with three copies, or with two where only two bookies are up. The number of bookies now settles how failed ones are
     * replaced for as long as the ledger is open.
     */
    CompletableFuture<WriteHandle> create(String path) {
        return Failures.recover(
                create(path, Bookies.COPIES),
                failure -> Failures.cause(failure) instanceof BKException.BKNotEnoughBookiesException,
                () -> create(path, Bookies.ACKNOWLEDGED));
    }

    private CompletableFuture<WriteHandle> create(String path, int copies) {
        return (spares.get() ? replacing : bookKeeper)
                .newCreateLedgerOp()
                .withEnsembleSize(copies)
                .withWriteQuorumSize(copies)
                .withAckQuorumSize(Bookies.ACKNOWLEDGED)
                .withDigestType(DIGEST)
                .withPassword(PASSWORD)
                .withCustomMetadata(Map.of(ROOT, bytes(root), PATH, bytes(path)))
                .execute();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a ledger for reading; its writer may still have it open. */
    CompletableFuture<ReadHandle> open(long ledger) {
        return open(ledger, false);
    }

    /**
     * Seals a ledger that another process may be writing: fences it at the bookies, finds its end, and writes that into its metadata. Nothing is
     * appended afterwards. Idempotent.
     */
    CompletableFuture<ReadHandle> recover(long ledger) {
        return open(ledger, true);
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

    private CompletableFuture<ReadHandle> open(long ledger, boolean recover) {
        return bookKeeper
                .newOpenLedgerOp()
                .withLedgerId(ledger)
                .withDigestType(DIGEST)
                .withPassword(PASSWORD)
                .withRecovery(recover)
                .execute();
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
        CompletableFuture<Kept> kept = new CompletableFuture<>();
        zooKeeper.getData(
                node(ledgersPath, ledger),
                false,
                (code, node, context, data, stat) -> {
                    try {
                        if (code == Code.NONODE.intValue()) {
                            kept.completeExceptionally(new BKException.BKNoSuchLedgerExistsOnMetadataServerException());
                        } else if (code != 0) {
                            kept.completeExceptionally(new DfsException(
                                    Reason.UNAVAILABLE, "ledger " + ledger + ": ZooKeeper answers " + Code.get(code)));
                        } else {
                            kept.complete(new Kept(
                                    FORMAT.parseConfig(data, ledger, Optional.of(stat.getCtime())),
                                    stat.getMzxid(),
                                    stat.getVersion()));
                        }
                    } catch (IOException | RuntimeException malformed) {
                        kept.completeExceptionally(new DfsException(
                                Reason.DAMAGED, "the metadata of ledger " + ledger + ": " + malformed, malformed));
                    }
                },
                null);
        return kept;
    }

    /**
     * Writes the metadata as they are, so that the ledger is {@linkplain Kept#zxid as young} as this call. BookKeeper's client, which compares
     * versions, reads them again. If that fails, or anything else changes them meanwhile, nothing is done.
     */
    CompletableFuture<Void> touch(long ledger) {
        CompletableFuture<Void> touched = new CompletableFuture<>();
        String node = node(ledgersPath, ledger);
        zooKeeper.getData(
                node,
                false,
                (code, path, context, data, stat) -> {
                    if (code == 0) {
                        zooKeeper.setData(
                                node,
                                data,
                                stat.getVersion(),
                                (set, where, nothing, now) -> touched.complete(null),
                                null);
                    } else {
                        touched.complete(null);
                    }
                },
                null);
        return touched;
    }

    /** The last entry of an open ledger that is stored, acknowledged or not; -1 if none is. */
    CompletableFuture<Long> lastStored(long ledger, LedgerMetadata metadata) {
        return LastStored.of(
                ledger, metadata, PASSWORD, bookKeeper.getClientCtx().getBookieClient());
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
                bookKeeper.newDeleteLedgerOp().withLedgerId(ledger).execute(),
                Failures::isMissingLedger,
                () -> CompletableFuture.completedFuture(null));
    }

    /** The ledgers of all clusters and other users, range by range; each step waits for ZooKeeper, on the caller's thread. */
    org.apache.bookkeeper.meta.LedgerManager.LedgerRangeIterator all() {
        return bookKeeper.getLedgerManager().getLedgerRanges(10_000);
    }
}
