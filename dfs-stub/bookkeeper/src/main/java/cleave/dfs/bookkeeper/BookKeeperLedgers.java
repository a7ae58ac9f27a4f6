package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.state.Bookies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteFlag;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.discover.RegistrationClient;
import org.apache.bookkeeper.meta.LedgerManager.LedgerRangeIterator;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.versioning.Versioned;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real client of BookKeeper. Thread-safe. */
final class BookKeeperLedgers implements LedgerClient {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperLedgers.class);

    /** Guards nothing: everyone who reaches a bookie may do anything. */
    private static final byte[] PASSWORD = "cleave".getBytes(StandardCharsets.US_ASCII);

    private static final DigestType DIGEST = DigestType.CRC32C;
    private static final int ANSWER_MILLIS = 10_000;

    private final BookKeeper bookKeeper;
    private final BookKeeper replacing;
    private final Executor background;
    /** Whether there were more bookies than a ledger has copies when they were counted last. */
    private final AtomicBoolean spares = new AtomicBoolean();

    /**
     * Each client has one setting for how its ledgers replace a bookie, so there are two.
     *
     * @param bookKeeper whose ledgers keep a failed bookie until another one fails
     * @param replacing whose ledgers replace a failed bookie at once; for those that are created while there are spare bookies
     * @param background where it waits for ZooKeeper
     */
    BookKeeperLedgers(BookKeeper bookKeeper, BookKeeper replacing, Executor background) {
        this.bookKeeper = bookKeeper;
        this.replacing = replacing;
        this.background = background;
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
        // Each copy in a zone of its own, as far as there are zones. Reads prefer none: a slow copy is what is avoided.
        settings.setEnsemblePlacementPolicy(ZonePlacement.class);
        settings.setMinNumRacksPerWriteQuorum(Bookies.COPIES);
        // The callers' own bounds hold.
        settings.setThrottleValue(0);
        return settings;
    }

    @Override
    public CompletableFuture<Bookies> bookies() {
        RegistrationClient registered = bookKeeper.getMetadataClientDriver().getRegistrationClient();
        return registered
                .getWritableBookies()
                .thenCombine(registered.getReadOnlyBookies(), BookKeeperLedgers::counted)
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

    /** The number of bookies now settles how failed ones are replaced for as long as the ledger is open. */
    @Override
    public CompletableFuture<WriteHandle> create(int copies, Map<String, byte[]> customMetadata) {
        return create(spares.get() ? replacing : bookKeeper, copies, customMetadata, WriteFlag.NONE);
    }

    @Override
    public CompletableFuture<WriteHandle> createDeferred(int copies, Map<String, byte[]> customMetadata) {
        // The client that would replace a failed bookie at once would end such a ledger at once.
        return create(bookKeeper, copies, customMetadata, EnumSet.of(WriteFlag.DEFERRED_SYNC));
    }

    private static CompletableFuture<WriteHandle> create(
            BookKeeper client, int copies, Map<String, byte[]> customMetadata, EnumSet<WriteFlag> flags) {
        return client.newCreateLedgerOp()
                .withWriteFlags(flags)
                .withEnsembleSize(copies)
                .withWriteQuorumSize(copies)
                .withAckQuorumSize(Bookies.ACKNOWLEDGED)
                .withDigestType(DIGEST)
                .withPassword(PASSWORD)
                .withCustomMetadata(customMetadata)
                .execute();
    }

    @Override
    public CompletableFuture<ReadHandle> open(long ledger, boolean recover) {
        return bookKeeper
                .newOpenLedgerOp()
                .withLedgerId(ledger)
                .withDigestType(DIGEST)
                .withPassword(PASSWORD)
                .withRecovery(recover)
                .execute();
    }

    @Override
    public CompletableFuture<Void> delete(long ledger) {
        return bookKeeper.newDeleteLedgerOp().withLedgerId(ledger).execute();
    }

    @Override
    public CompletableFuture<Long> lastStored(long ledger, LedgerMetadata metadata) {
        return LastStored.of(
                ledger, metadata, PASSWORD, bookKeeper.getClientCtx().getBookieClient());
    }

    @Override
    public Pages all() {
        LedgerRangeIterator ranges = bookKeeper.getLedgerManager().getLedgerRanges(ANSWER_MILLIS);
        return () -> CompletableFuture.supplyAsync(() -> page(ranges), background);
    }

    private static Optional<List<Long>> page(LedgerRangeIterator ranges) {
        try {
            return ranges.hasNext() ? Optional.of(List.copyOf(ranges.next().getLedgers())) : Optional.empty();
        } catch (IOException failed) {
            throw new CompletionException(failed);
        }
    }
}
