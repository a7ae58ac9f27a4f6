package cleave.server.rpc;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import cleave.server.state.TableName;
import cleave.server.state.TableSize;
import cleave.wire.ErrorCode;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the names of the tables that this server stores, for its metrics. Confined to its loop, but for {@link #known}.
 *
 * <p>Keys hold the ids of tables, and only the registry has their names, by account and name. So while there are tables without a name, the
 * registry is walked, a bounded part of it about each minute; otherwise nothing is requested. An id is never given to another table, so a
 * name is right for ever, and an id that a whole walk did not find has none: its table is being deleted. If a row could not be read, as
 * during an upgrade, nothing follows from the walk, and the next one begins.
 */
public final class TableNames {
    private static final Logger LOG = LoggerFactory.getLogger(TableNames.class);
    private static final long SECOND = 1_000_000_000L;
    private static final long PERIOD_NANOS = 60 * SECOND;
    /** At most this much longer, so that servers that were started together do not look together. */
    private static final long SPREAD_NANOS = 30 * SECOND;

    private static final long PATIENCE_NANOS = 5 * SECOND;
    private static final int ROWS_PER_PAGE = 1_000;
    private static final int PAGES_PER_LOOK = 20;
    /** If there are more tables, only the largest have names. */
    static final int NAMED_MAX = 10_000;

    private static final KeyRange REGISTRY = KeyRange.ofTable(Registry.TABLE);

    private final EventLoop loop;
    private final RangeClient ranges;
    private final Supplier<List<TableSize>> stored;
    private final Random random;
    private volatile Map<Long, TableName> names = Map.of();
    private final Set<Long> nameless = new HashSet<>();
    /** Tables not found yet by the current walk, which began when they were known to be stored. */
    private final Set<Long> missing = new HashSet<>();
    /** The key at which the walk goes on. */
    private Key at = REGISTRY.start();
    /** A row of the current walk could not be read. */
    private boolean hasUnreadable;

    private boolean stopped;

    public TableNames(EventLoop loop, RangeClient ranges, Supplier<List<TableSize>> stored, Random random) {
        this.random = random;
        this.loop = loop;
        this.ranges = ranges;
        this.stored = stored;
    }

    /** The names by id, as far as they are known. On any thread. */
    public Map<Long, TableName> known() {
        return names;
    }

    /** On any thread. */
    public void start() {
        loop.submit(this::again);
    }

    /** On any thread. */
    public void stop() {
        loop.submit(() -> stopped = true);
    }

    private void look() {
        loop.assertInside();
        if (stopped) {
            return;
        }
        Set<Long> wanted = wanted();
        Map<Long, TableName> kept = new HashMap<>(names);
        kept.keySet().retainAll(wanted);
        names = Map.copyOf(kept);
        nameless.retainAll(wanted);
        wanted.removeAll(kept.keySet());
        wanted.removeAll(nameless);
        missing.retainAll(wanted);
        if (missing.isEmpty()) {
            missing.addAll(wanted);
            at = REGISTRY.start();
            hasUnreadable = false;
        }
        page(PAGES_PER_LOOK);
    }

    /** The largest of the tables that are stored here. */
    private Set<Long> wanted() {
        Map<Long, Long> bytes = new HashMap<>();
        stored.get().forEach(size -> bytes.merge(size.table(), size.bytes(), Long::sum));
        bytes.remove(TableSize.OTHERS);
        bytes.remove(Registry.TABLE);
        Set<Long> largest = new HashSet<>();
        bytes.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(NAMED_MAX)
                .forEach(each -> largest.add(each.getKey()));
        return largest;
    }

    private void page(int left) {
        if (stopped || missing.isEmpty() || left == 0) {
            again();
            return;
        }
        Key end = REGISTRY.end();
        ScanRequest.Builder request = ScanRequest.newBuilder()
                .setStart(at.toWire())
                .addAllSelect(Registry.WITHOUT_POLICIES)
                .setLimit(ROWS_PER_PAGE);
        if (end != null) {
            request.setEnd(end.toWire());
        }
        ranges.scan(request, loop.nanos() + PATIENCE_NANOS)
                .whenComplete((reply, failure) -> loop.submit(() -> read(reply, left)));
    }

    private void again() {
        loop.schedule(PERIOD_NANOS + (long) (random.nextDouble() * SPREAD_NANOS), this::look);
    }

    private void read(@Nullable ScanReply reply, int left) {
        loop.assertInside();
        if (reply == null || reply.getStatus().getCode() != ErrorCode.OK) {
            LOG.debug("the registry cannot be read for names reply={}", reply == null ? null : reply.getStatus());
            again();
            return;
        }
        Map<Long, TableName> more = new HashMap<>(names);
        for (ScanRow row : reply.getRowsList()) {
            read(row, more);
        }
        names = Map.copyOf(more);
        Key end = REGISTRY.end();
        Key next = Key.fromWire(reply.getExaminedUntil());
        if (reply.getExaminedUntil().isEmpty() || (end != null && next.compareTo(end) >= 0)) {
            if (!hasUnreadable) {
                nameless.addAll(missing);
            }
            missing.clear();
        } else {
            at = next;
        }
        page(left - 1);
    }

    private void read(ScanRow row, Map<Long, TableName> more) {
        try {
            Registry registry = Registry.of(EntityCodec.decode(row.getEntity().toByteArray()));
            if (registry != null && missing.remove(registry.id())) {
                more.put(registry.id(), new TableName(Key.fromWire(row.getKey()).partitionKey(), registry.name()));
            }
        } catch (Damaged unreadable) {
            hasUnreadable = true;
            LOG.debug("a row of the registry is passed over reason={}", unreadable.toString());
        }
    }
}
