package cleave.server.rpc;

import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.registry.RegistryWalk;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import cleave.server.state.TableSize;
import cleave.wire.ScanReply;
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
 * <p>While there are tables without a name, a bounded part of the registry is read about each minute ({@link RegistryWalk}). A table that
 * is stored has been created, so an id that a whole walk did not find is of a table that is being deleted, and is not sought again.
 */
public final class TableNames {
    private static final Logger LOG = LoggerFactory.getLogger(TableNames.class);
    private static final long SECOND = 1_000_000_000L;
    private static final long PERIOD_NANOS = 60 * SECOND;
    /** At most this much longer, so that servers that were started together do not look together. */
    private static final long SPREAD_NANOS = 30 * SECOND;

    private static final long PATIENCE_NANOS = 5 * SECOND;
    private static final int PAGES_PER_LOOK = 20;
    /** If there are more tables, only the largest have names. */
    static final int NAMED_MAX = 10_000;

    private final EventLoop loop;
    private final RangeClient ranges;
    private final Supplier<List<TableSize>> stored;
    private final Random random;
    private final RegistryWalk walk = new RegistryWalk();
    private boolean stopped;

    public TableNames(EventLoop loop, RangeClient ranges, Supplier<List<TableSize>> stored, Random random) {
        this.random = random;
        this.loop = loop;
        this.ranges = ranges;
        this.stored = stored;
    }

    /** The names by id, as far as they are known. On any thread. */
    public Map<Long, TableName> known() {
        return walk.known();
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
        walk.want(wanted(), Long.MAX_VALUE);
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
        if (stopped || !walk.isUnderWay() || left == 0) {
            again();
            return;
        }
        ranges.scan(walk.page(), loop.nanos() + PATIENCE_NANOS)
                .whenComplete((reply, failure) -> loop.submit(() -> read(reply, left)));
    }

    private void again() {
        loop.schedule(PERIOD_NANOS + (long) (random.nextDouble() * SPREAD_NANOS), this::look);
    }

    private void read(@Nullable ScanReply reply, int left) {
        loop.assertInside();
        boolean isTaken = walk.take(reply);
        if (!walk.trouble().isEmpty()) {
            LOG.debug("the registry cannot be read for names reason={}", walk.trouble());
        }
        page(isTaken ? left - 1 : 0);
    }
}
