package cleave.server.range;

import cleave.model.Facts;
import cleave.model.Key;
import cleave.model.Row;
import cleave.server.state.TableSize;
import cleave.wire.RangeLoad;
import cleave.wire.Route;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that a server serves, by id, those that it is about to serve, and the rows that replaced those that it
 * handed over. Thread-safe: read by every request, written by the membership's loop alone.
 */
public final class Directory {
    /** Replaced rows to keep; enough to bridge the time until every map shows them. */
    private static final int SUCCESSORS_MAX = 256;

    private volatile NavigableMap<Long, Range> ranges = new TreeMap<>();
    private volatile NavigableMap<Long, Range> arriving = new TreeMap<>();
    private volatile TreeMap<Key, Row> successors = new TreeMap<>();

    /** Null if this server does not serve it. */
    public @Nullable Range range(long id) {
        return ranges.get(id);
    }

    /**
     * The range for a request: one that is served or about to be. If none matches the route, the served one with that
     * id, which will refuse the request; null if there is none.
     */
    public @Nullable Range range(Route route) {
        Range served = ranges.get(route.getRange());
        if (served != null && served.ownership().agreesWith(route)) {
            return served;
        }
        Range expected = arriving.get(route.getRange());
        return expected != null && expected.ownership().agreesWith(route) ? expected : served;
    }

    /** Adds a range that is committed to this server; requests wait in it until it is served. */
    public void expect(Range range) {
        TreeMap<Long, Range> changed = new TreeMap<>(arriving);
        changed.put(range.ownership().range(), range);
        arriving = changed;
    }

    /** Those that it serves, and those that it is about to serve. */
    List<Range> known() {
        List<Range> all = new ArrayList<>(ranges.values());
        all.addAll(arriving.values());
        return all;
    }

    /** In order of their ids; must not be modified. */
    public Iterable<Range> all() {
        return ranges.values();
    }

    /** All of them, starting with the first whose id is not below the given one. */
    public List<Range> allFrom(long id) {
        NavigableMap<Long, Range> now = ranges;
        List<Range> all = new ArrayList<>(now.tailMap(id, true).values());
        all.addAll(now.headMap(id, false).values());
        return all;
    }

    /** The loads of all that are served, as measured last. */
    public List<RangeLoad> loads() {
        return ranges.values().stream().map(Range::load).toList();
    }

    /** The sizes of tables in all that are served, by range, as measured last. */
    public List<TableSize> tables() {
        return ranges.values().stream()
                .flatMap(range -> range.tables().stream())
                .toList();
    }

    /** In which phase each is, those that it is about to serve included: {@code HELD} is one that a handoff holds. */
    public List<Facts> phases() {
        return known().stream()
                .map(range -> Facts.NONE
                        .and("id", Row.idText(range.ownership().range()))
                        .and("epoch", range.ownership().epoch())
                        .and("phase", range.phase().name()))
                .toList();
    }

    public int size() {
        return ranges.size();
    }

    /** Adds a range that is served. */
    public void put(Range range) {
        TreeMap<Long, Range> changed = new TreeMap<>(ranges);
        changed.put(range.ownership().range(), range);
        ranges = changed;
        arriving = without(range, arriving);
    }

    public void remove(Range range) {
        ranges = without(range, ranges);
        arriving = without(range, arriving);
    }

    private static NavigableMap<Long, Range> without(Range range, NavigableMap<Long, Range> all) {
        if (all.get(range.ownership().range()) != range) {
            return all;
        }
        TreeMap<Long, Range> changed = new TreeMap<>(all);
        changed.remove(range.ownership().range());
        return changed;
    }

    public void clear() {
        ranges = new TreeMap<>();
    }

    /** Notes the rows that replaced ranges which were served here. */
    public void replaced(List<Row> rows) {
        TreeMap<Key, Row> changed = new TreeMap<>(successors);
        for (Row row : rows) {
            List<Row> known = changed.values().stream()
                    .filter(each -> each.range().overlaps(row.range()))
                    .toList();
            if (known.stream().allMatch(each -> each.version() < row.version())) {
                changed.values().removeAll(known);
                changed.put(row.range().start(), row);
            }
        }
        while (changed.size() > SUCCESSORS_MAX) {
            changed.values().stream()
                    .min(Comparator.comparingLong(Row::version))
                    .ifPresent(changed.values()::remove);
        }
        successors = changed;
    }

    /**
     * The row that a handoff from here created for a key, which this server knows before any map shows it. Null if
     * there was none, or if it was long ago.
     */
    public @Nullable Row successor(Key key) {
        Map.Entry<Key, Row> found = successors.floorEntry(key);
        return found != null && found.getValue().range().contains(key) ? found.getValue() : null;
    }
}
