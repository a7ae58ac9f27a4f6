package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.dfs.bookkeeper.state.Bookies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerMetadataBuilder;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LastConfirmedAndEntry;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.client.impl.LedgerEntriesImpl;
import org.apache.bookkeeper.client.impl.LedgerEntryImpl;
import org.apache.bookkeeper.meta.LedgerMetadataSerDe;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;

/**
 * Bookies, and a client of BookKeeper that writes to three of them, waits for two, fences and recovers as the real one does. It replaces no
 * bookie: a ledger breaks when two of its three fail. Metadata lie in the simulated ZooKeeper, in BookKeeper's own form.
 */
final class SimBookies {
    private static final int COUNT = 5;
    private static final LedgerMetadataSerDe FORMAT = new LedgerMetadataSerDe();

    private final SimWorld world;
    private final List<Bookie> bookies = new ArrayList<>();
    private long ledgers;

    SimBookies(SimWorld world) {
        this.world = world;
        for (int i = 0; i < COUNT; i++) {
            bookies.add(new Bookie());
        }
    }

    /** @param length of the ledger with this entry */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares entries.
    private record Entry(long length, byte[] bytes) {}

    /** A bookie's part of a ledger. */
    private static final class Copy {
        private final TreeMap<Long, Entry> entries = new TreeMap<>();
        private boolean isFenced;
        private long confirmed = -1;
        /** Of a deferred ledger: how far its entries are on the disk. */
        private long synced = Long.MAX_VALUE;
    }

    private static final class Bookie {
        private final Map<Long, Copy> copies = new HashMap<>();
        private boolean isUp = true;

        Copy copy(long ledger) {
            return copies.computeIfAbsent(ledger, key -> new Copy());
        }
    }

    /** Stops one, or starts the one that is stopped. */
    void stopOrStart() {
        Bookie one = bookies.stream()
                .filter(each -> !each.isUp)
                .findFirst()
                .orElse(bookies.get(world.random().nextInt(COUNT)));
        one.isUp = !one.isUp;
        if (!one.isUp) {
            crash(one);
        }
    }

    /** A deferred ledger loses what is not on the disk; its fence is. */
    private void crash(Bookie bookie) {
        for (Copy copy : bookie.copies.values()) {
            if (copy.synced != Long.MAX_VALUE) {
                copy.entries.tailMap(copy.synced, false).clear();
                copy.isFenced &= world.bug() != Bug.FENCE_NOT_SYNCED;
            }
        }
    }

    /** Restarts all, by which they forget the ledgers that were deleted, and that these were fenced. */
    void restart() {
        for (Bookie bookie : bookies) {
            crash(bookie);
            bookie.isUp = true;
            bookie.copies.keySet().removeIf(ledger -> metadata(ledger).isEmpty());
        }
    }

    static String node(long ledger) {
        return Ledgers.node(SimWorld.LEDGERS, ledger);
    }

    private Optional<LedgerMetadata> metadata(long ledger) {
        return world.zooKeeper().now(node(ledger)).map(node -> {
            try {
                return FORMAT.parseConfig(node.data(), ledger, Optional.empty());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private void keep(LedgerMetadata metadata) {
        try {
            world.zooKeeper().put(node(metadata.getLedgerId()), FORMAT.serialize(metadata));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The numbers of all ledgers. */
    List<Long> ledgers() {
        return LongStream.rangeClosed(1, ledgers)
                .filter(ledger -> metadata(ledger).isPresent())
                .boxed()
                .toList();
    }

    private List<Bookie> ensemble(LedgerMetadata metadata) {
        return metadata.getAllEnsembles().firstEntry().getValue().stream()
                .map(id -> bookies.get(Integer.parseInt(id.getId().substring(1))))
                .toList();
    }

    /** The client in one process. */
    final class Client implements LedgerClient {
        private final SimProcess process;

        Client(SimProcess process) {
            this.process = process;
        }

        /** Asks ZooKeeper, which may not answer, or whose answer may be lost. */
        private <T> CompletableFuture<T> call(Function<Optional<LedgerMetadata>, T> execution, long ledger) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            SimWorld.Wire wire = world.wire();
            wire.send(() -> {
                CompletableFuture<T> result;
                if (world.isZooKeeperAway()) {
                    result = CompletableFuture.failedFuture(new BKException.ZKException());
                } else {
                    result = CompletableFuture.completedFuture(metadata(ledger)).thenApply(execution);
                    result = world.fails() ? CompletableFuture.failedFuture(new BKException.ZKException()) : result;
                }
                CompletableFuture<T> outcome = result;
                wire.send(process, () -> SimZooKeeper.settle(answer, outcome));
            });
            return answer;
        }

        private LedgerMetadata found(Optional<LedgerMetadata> metadata) {
            return metadata.orElseThrow(
                    () -> new CompletionException(new BKException.BKNoSuchLedgerExistsOnMetadataServerException()));
        }

        /** Changes the metadata of a ledger, unless it is closed; answers what holds then. */
        private CompletableFuture<LedgerMetadata> change(long ledger, UnaryOperator<LedgerMetadata> change) {
            return call(
                    before -> {
                        LedgerMetadata after = found(before).isClosed() ? found(before) : change.apply(found(before));
                        keep(after);
                        return after;
                    },
                    ledger);
        }

        private CompletableFuture<LedgerMetadata> close(long ledger, long last, long length) {
            return change(
                    ledger,
                    open -> LedgerMetadataBuilder.from(open)
                            .withClosedState()
                            .withLastEntryId(last)
                            .withLength(length)
                            .build());
        }

        @Override
        public CompletableFuture<Bookies> bookies() {
            return CompletableFuture.completedFuture(new Bookies(COUNT, 0));
        }

        @Override
        public CompletableFuture<WriteHandle> create(int copies, Map<String, byte[]> customMetadata) {
            return create(copies, customMetadata, false);
        }

        @Override
        public CompletableFuture<WriteHandle> createDeferred(int copies, Map<String, byte[]> customMetadata) {
            return create(copies, customMetadata, true);
        }

        private CompletableFuture<WriteHandle> create(
                int copies, Map<String, byte[]> customMetadata, boolean isDeferred) {
            List<Integer> up = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                if (bookies.get(i).isUp) {
                    up.add(i);
                }
            }
            Collections.shuffle(up, world.random());
            long ledger = ++ledgers;
            LedgerMetadata made = LedgerMetadataBuilder.create()
                    .withId(ledger)
                    .withEnsembleSize(copies)
                    .withWriteQuorumSize(copies)
                    .withAckQuorumSize(Bookies.ACKNOWLEDGED)
                    .withDigestType(DigestType.CRC32C)
                    .withPassword(new byte[0])
                    .withCustomMetadata(customMetadata)
                    .newEnsembleEntry(
                            0,
                            up.subList(0, copies).stream()
                                    .map(each -> BookieId.parse("b" + each))
                                    .toList())
                    .build();
            return call(
                    nothing -> {
                        keep(made);
                        return new Writer(this, made, isDeferred);
                    },
                    ledger);
        }

        @Override
        public CompletableFuture<ReadHandle> open(long ledger, boolean recover) {
            return call(this::found, ledger)
                    .thenCompose(metadata -> recover && !metadata.isClosed() ? recovered(metadata) : done(metadata))
                    .thenApply(metadata -> new Reader(this, metadata));
        }

        private CompletableFuture<LedgerMetadata> recovered(LedgerMetadata open) {
            long ledger = open.getLedgerId();
            if (world.bug() == Bug.END_WITHOUT_FENCE) {
                return new Reader(this, open)
                        .readLastAddConfirmedAsync()
                        .thenCompose(last -> close(ledger, last, length(ensemble(open), ledger, last)));
            }
            return change(
                            ledger,
                            before -> LedgerMetadataBuilder.from(before)
                                    .withInRecoveryState()
                                    .build())
                    .thenCompose(metadata -> metadata.isClosed() ? done(metadata) : fenced(metadata));
        }

        private CompletableFuture<LedgerMetadata> fenced(LedgerMetadata metadata) {
            long ledger = metadata.getLedgerId();
            return ask(metadata, bookie -> {
                        bookie.copy(ledger).isFenced = true;
                        return bookie;
                    })
                    .thenCompose(fenced -> {
                        long last = fenced.stream()
                                .mapToLong(bookie -> bookie.copy(ledger).confirmed)
                                .max()
                                .orElse(-1);
                        while (entry(fenced, ledger, last + 1) != null) {
                            last++;
                            Entry found = entry(fenced, ledger, last);
                            for (Bookie bookie : fenced) {
                                bookie.copy(ledger).entries.put(last, found);
                            }
                        }
                        return close(ledger, last, length(ensemble(metadata), ledger, last));
                    });
        }

        /** Asks all bookies of a ledger and waits for two. */
        private <T> CompletableFuture<List<T>> ask(LedgerMetadata metadata, Function<Bookie, T> question) {
            CompletableFuture<List<T>> answer = new CompletableFuture<>();
            List<T> answers = new ArrayList<>();
            List<Bookie> ensemble = ensemble(metadata);
            int[] silent = {ensemble.size()};
            for (Bookie bookie : ensemble) {
                SimWorld.Wire wire = world.wire();
                wire.send(() -> {
                    Optional<T> said = bookie.isUp ? Optional.of(question.apply(bookie)) : Optional.empty();
                    wire.send(process, () -> {
                        silent[0]--;
                        said.ifPresent(answers::add);
                        if (answers.size() == Bookies.ACKNOWLEDGED) {
                            answer.complete(List.copyOf(answers));
                        } else if (silent[0] == 0) {
                            answer.completeExceptionally(new BKException.BKLedgerRecoveryException());
                        }
                    });
                });
            }
            return answer;
        }

        @Override
        public CompletableFuture<Void> delete(long ledger) {
            return call(
                    before -> {
                        found(before);
                        world.zooKeeper().put(node(ledger), null);
                        return null;
                    },
                    ledger);
        }

        @Override
        public CompletableFuture<Long> lastStored(long ledger, LedgerMetadata metadata) {
            return ask(
                            metadata,
                            bookie -> bookie.copy(ledger).entries.isEmpty()
                                    ? -1L
                                    : bookie.copy(ledger).entries.lastKey())
                    .handle((stored, failure) -> {
                        if (failure != null) {
                            throw new DfsException(Reason.UNAVAILABLE, "too few bookies answer");
                        }
                        return Collections.max(stored);
                    });
        }

        @Override
        public Pages all() {
            ArrayDeque<List<Long>> pages = new ArrayDeque<>(List.of(ledgers()));
            return () -> done(Optional.ofNullable(pages.poll()));
        }
    }

    private static <T> CompletableFuture<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private static @Nullable Entry entry(List<Bookie> among, long ledger, long entry) {
        return among.stream()
                .map(bookie -> bookie.copies.get(ledger))
                .filter(copy -> copy != null && copy.entries.containsKey(entry))
                .map(copy -> copy.entries.get(entry))
                .findFirst()
                .orElse(null);
    }

    private static long length(List<Bookie> among, long ledger, long last) {
        Entry entry = entry(among, ledger, last);
        return entry == null ? 0 : entry.length();
    }

    /** Reads a ledger, which its writer may have open. */
    @SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
    private class Reader implements ReadHandle {
        protected final Client client;
        protected final List<Bookie> ensemble;
        protected final long ledger;
        protected LedgerMetadata metadata;
        protected long confirmed;

        Reader(Client client, LedgerMetadata metadata) {
            this.client = client;
            this.metadata = metadata;
            this.ledger = metadata.getLedgerId();
            this.ensemble = ensemble(metadata);
            this.confirmed = metadata.isClosed() ? metadata.getLastEntryId() : -1;
        }

        @Override
        public long getId() {
            return ledger;
        }

        @Override
        public LedgerMetadata getLedgerMetadata() {
            return metadata;
        }

        @Override
        public boolean isClosed() {
            return metadata.isClosed();
        }

        @Override
        public long getLastAddConfirmed() {
            return confirmed;
        }

        @Override
        public long getLength() {
            return isClosed() ? metadata.getLength() : length(ensemble, ledger, confirmed);
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Long> readLastAddConfirmedAsync() {
            return client.ask(metadata, bookie -> bookie.copy(ledger).confirmed).thenApply(answers -> {
                confirmed = Math.max(confirmed, Collections.max(answers));
                return confirmed;
            });
        }

        @Override
        public CompletableFuture<LedgerEntries> readAsync(long first, long last) {
            CompletableFuture<LedgerEntries> answer = new CompletableFuture<>();
            SimWorld.Wire wire = world.wire();
            wire.send(() -> {
                List<Bookie> up = ensemble.stream().filter(each -> each.isUp).toList();
                List<LedgerEntry> entries = new ArrayList<>();
                for (long id = first; id <= last; id++) {
                    Entry found = entry(up, ledger, id);
                    if (found != null) {
                        entries.add(LedgerEntryImpl.create(
                                ledger, id, found.length(), Unpooled.wrappedBuffer(found.bytes())));
                    }
                }
                wire.send(client.process, () -> {
                    if (entries.size() == last - first + 1) {
                        answer.complete(LedgerEntriesImpl.create(entries));
                    } else {
                        answer.completeExceptionally(new BKException.BKReadException());
                    }
                });
            });
            return answer;
        }

        @Override
        public CompletableFuture<LedgerEntries> readUnconfirmedAsync(long first, long last) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Long> tryReadLastAddConfirmedAsync() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<LastConfirmedAndEntry> readLastAddConfirmedAndEntryAsync(
                long entry, long millis, boolean parallel) {
            throw new UnsupportedOperationException();
        }
    }

    /** Writes a ledger. An entry is acknowledged when two bookies have it, and all before it are. */
    @SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
    private final class Writer extends Reader implements WriteHandle {
        private static final class Pending {
            private final long id;
            private final Entry entry;
            private final CompletableFuture<Long> result = new CompletableFuture<>();
            private int stored;
            private int failed;

            Pending(long id, Entry entry) {
                this.id = id;
                this.entry = entry;
            }
        }

        private final ArrayDeque<Pending> pending = new ArrayDeque<>();
        private final List<SimWorld.Wire> wires = new ArrayList<>();
        private long next;
        private long length;
        private long confirmedLength;
        private final boolean isDeferred;
        private @Nullable BKException ended;

        Writer(Client client, LedgerMetadata metadata, boolean isDeferred) {
            super(client, metadata);
            this.isDeferred = isDeferred;
            ensemble.forEach(bookie -> wires.add(world.wire()));
        }

        @Override
        public CompletableFuture<Long> appendAsync(ByteBuf data) {
            if (ended != null) {
                return CompletableFuture.failedFuture(ended);
            }
            byte[] bytes = new byte[data.readableBytes()];
            data.readBytes(bytes);
            length += bytes.length;
            Pending append = new Pending(next++, new Entry(length, bytes));
            pending.add(append);
            for (int i = 0; i < ensemble.size(); i++) {
                Bookie bookie = ensemble.get(i);
                SimWorld.Wire wire = wires.get(i);
                long known = confirmed;
                wire.send(() -> {
                    Consumer<Pending> answer = stored(bookie, append, known);
                    wire.send(client.process, () -> answer.accept(append));
                });
            }
            return append.result;
        }

        private Consumer<Pending> stored(Bookie bookie, Pending append, long known) {
            if (!bookie.isUp || world.fails()) {
                return this::failed;
            }
            Copy copy = bookie.copy(ledger);
            if (copy.isFenced) {
                return refused -> end(new BKException.BKLedgerFencedException());
            }
            copy.synced = isDeferred ? Math.min(copy.synced, append.id - 1) : copy.synced;
            copy.entries.put(append.id, append.entry);
            copy.confirmed = Math.max(copy.confirmed, known);
            return this::acknowledged;
        }

        private void acknowledged(Pending append) {
            append.stored++;
            while (ended == null && !pending.isEmpty() && pending.element().stored >= Bookies.ACKNOWLEDGED) {
                Pending first = pending.remove();
                if (!isDeferred) {
                    confirmed = first.id;
                    confirmedLength = first.entry.length();
                }
                first.result.complete(first.id);
            }
        }

        private void failed(Pending append) {
            append.failed++;
            if (ended == null && append.failed > ensemble.size() - Bookies.ACKNOWLEDGED) {
                end(new BKException.BKNotEnoughBookiesException());
                closedMetadata();
            }
        }

        private void end(BKException why) {
            if (ended == null) {
                ended = why;
                List<Pending> left = List.copyOf(pending);
                pending.clear();
                left.forEach(each -> each.result.completeExceptionally(why));
            }
        }

        private CompletableFuture<Void> closedMetadata() {
            return client.close(ledger, confirmed, confirmedLength).thenAccept(closed -> metadata = closed);
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            boolean isFirst = ended == null;
            end(new BKException.BKLedgerClosedException());
            return isFirst ? closedMetadata() : CompletableFuture.completedFuture(null);
        }

        @Override
        public long getLastAddPushed() {
            return next - 1;
        }

        /** Only of a deferred ledger, which holds no bytes. */
        @Override
        public CompletableFuture<Void> force() {
            long last = pending.isEmpty() ? next - 1 : pending.element().id - 1;
            int[] synced = {0};
            for (int i = 0; i < ensemble.size(); i++) {
                Bookie bookie = ensemble.get(i);
                wires.get(i).send(() -> {
                    if (bookie.isUp && !world.fails()) {
                        Copy copy = bookie.copy(ledger);
                        copy.synced = Math.max(copy.synced, last);
                        world.wire().send(client.process, () -> {
                            synced[0]++;
                            confirmed = synced[0] == Bookies.ACKNOWLEDGED ? Math.max(confirmed, last) : confirmed;
                        });
                    }
                });
            }
            return CompletableFuture.completedFuture(null);
        }
    }
}
