package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.SimWorld.Bug;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerMetadataSerDe;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;

/**
 * Bookies, what they hold of ledgers, and what the simulated ZooKeeper holds of them, in BookKeeper's own form. {@link SimLedgers} is their
 * client.
 */
final class SimBookies {
    static final int COUNT = 5;
    private static final LedgerMetadataSerDe FORMAT = new LedgerMetadataSerDe();

    private final SimWorld world;
    private final List<Bookie> bookies = IntStream.range(0, COUNT)
            .mapToObj(i -> new Bookie(BookieId.parse("b" + i)))
            .toList();
    private long ledgers;

    SimBookies(SimWorld world) {
        this.world = world;
    }

    /** @param length of the ledger with this entry */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares entries.
    record Entry(long length, byte[] bytes) {}

    /** A bookie's part of a ledger. */
    static final class Copy {
        final TreeMap<Long, Entry> entries = new TreeMap<>();
        boolean isFenced;
        long confirmed = -1;
        /** Of a deferred ledger: how far its entries are on the disk. */
        long synced = Long.MAX_VALUE;
    }

    static final class Bookie {
        private final BookieId id;
        private final Map<Long, Copy> copies = new HashMap<>();
        boolean isUp = true;

        Bookie(BookieId id) {
            this.id = id;
        }

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

    Optional<LedgerMetadata> metadata(long ledger) {
        return world.zooKeeper().now(node(ledger)).map(node -> {
            try {
                return FORMAT.parseConfig(node.data(), ledger, Optional.empty());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    void keep(LedgerMetadata metadata) {
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

    long nextLedger() {
        return ++ledgers;
    }

    /** Some of those that are up. */
    List<BookieId> choose(int count) {
        List<BookieId> up = new ArrayList<>();
        bookies.stream().filter(each -> each.isUp).forEach(each -> up.add(each.id));
        Collections.shuffle(up, world.random());
        return up.subList(0, count);
    }

    List<Bookie> ensemble(LedgerMetadata metadata) {
        List<BookieId> ids = metadata.getAllEnsembles().firstEntry().getValue();
        return ids.stream()
                .map(id -> bookies.get(Integer.parseInt(id.getId().substring(1))))
                .toList();
    }

    static @Nullable Entry entry(List<Bookie> among, long ledger, long entry) {
        return among.stream()
                .map(bookie -> bookie.copies.get(ledger))
                .filter(copy -> copy != null && copy.entries.containsKey(entry))
                .map(copy -> copy.entries.get(entry))
                .findFirst()
                .orElse(null);
    }

    static long length(List<Bookie> among, long ledger, long last) {
        Entry entry = entry(among, ledger, last);
        return entry == null ? 0 : entry.length();
    }
}
