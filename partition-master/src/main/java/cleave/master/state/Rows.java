package cleave.master.state;

import cleave.model.Incarnation;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The rows of the partition map, found by key, id, owner and version. Immutable; a change costs the logarithm of their number.
 *
 * <p>Equal bounds and owners of its rows are the same objects, and so are their boxed ids: there may be a million of each.
 *
 * <p>Invariant I1: the rows tile the key space; {@link #replace} preserves this by checking that the new rows cover
 * exactly the old ones.
 */
public final class Rows {
    private static final Comparator<Row> BY_VERSION =
            Comparator.comparingLong(Row::version).thenComparingLong(Row::id);

    static final Rows NONE = new Rows(
            TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePSet.empty(), TreePSet.empty(BY_VERSION));

    private final TreePMap<Key, Row> byStart;
    private final TreePMap<Long, Row> byId;
    private final TreePMap<Incarnation, TreePSet<Long>> byOwner;
    private final TreePSet<Long> unowned;
    private final TreePSet<Row> byVersion;

    private Rows(
            TreePMap<Key, Row> byStart,
            TreePMap<Long, Row> byId,
            TreePMap<Incarnation, TreePSet<Long>> byOwner,
            TreePSet<Long> unowned,
            TreePSet<Row> byVersion) {
        this.byStart = byStart;
        this.byId = byId;
        this.byOwner = byOwner;
        this.unowned = unowned;
        this.byVersion = byVersion;
    }

    /** Rows from a snapshot; they must tile the key space. */
    static Rows of(Collection<Row> rows) {
        TreeMap<Key, Row> byStart = new TreeMap<>();
        TreeMap<Long, Row> byId = new TreeMap<>();
        TreeMap<Incarnation, TreeSet<Long>> byOwner = new TreeMap<>();
        TreeSet<Long> unowned = new TreeSet<>();
        TreeSet<Row> byVersion = new TreeSet<>(BY_VERSION);
        rows.forEach(row -> byStart.put(row.range().start(), row));
        Invariant.check(byStart.size() == rows.size(), "two rows begin at the same key");
        Key behind = null;
        for (Map.Entry<Key, Row> entry : byStart.descendingMap().entrySet()) {
            Row row = sharing(entry.getValue(), entry.getKey(), behind, byOwner);
            entry.setValue(row);
            behind = entry.getKey();
            Long id = row.id();
            Invariant.check(byId.put(id, row) == null, "two rows have the id of %s", row);
            byVersion.add(row);
            Incarnation owner = row.owner();
            (owner == null ? unowned : byOwner.computeIfAbsent(owner, first -> new TreeSet<>())).add(id);
        }
        if (!rows.isEmpty()) {
            checkTiling(KeyRange.ALL, List.copyOf(byStart.values()));
        }
        TreeMap<Incarnation, TreePSet<Long>> owners = new TreeMap<>();
        byOwner.forEach((owner, owned) -> owners.put(owner, TreePSet.fromSortedSet(owned)));
        return new Rows(
                TreePMap.fromSortedMap(byStart),
                TreePMap.fromSortedMap(byId),
                TreePMap.fromSortedMap(owners),
                TreePSet.fromSortedSet(unowned),
                TreePSet.fromSortedSet(byVersion));
    }

    /** The row with equal objects that others have: where the one before it ends, where the one behind it begins, and the owner. */
    private static Row sharing(
            Row row, @Nullable Key before, @Nullable Key behind, NavigableMap<Incarnation, ?> owners) {
        KeyRange range = row.range();
        Incarnation owner = row.owner();
        Incarnation known = owner == null ? null : owners.floorKey(owner);
        return new Row(
                row.id(),
                new KeyRange(
                        before != null && before.equals(range.start()) ? before : range.start(),
                        behind != null && Objects.equals(behind, range.end()) ? behind : range.end()),
                known != null && known.equals(owner) ? known : owner,
                row.manifest(),
                row.version(),
                row.epoch());
    }

    /** These rows with some replaced; both lists are in key order and cover the same interval. */
    Rows replace(List<Row> gone, List<Row> come) {
        checkTiling(union(gone.isEmpty() ? come : gone), come);
        if (gone.size() == 1 && come.size() == 1 && isPublish(gone.get(0), come.get(0))) {
            return published(gone.get(0), come.get(0));
        }
        Rows next = this;
        for (Row row : gone) {
            next = next.minus(row);
        }
        for (int i = come.size() - 1; i >= 0; i--) { // Each ends where one begins that is there.
            next = next.plus(come.get(i));
        }
        return next;
    }

    private static boolean isPublish(Row before, Row after) {
        return before.id() == after.id()
                && before.epoch() == after.epoch()
                && Objects.equals(before.owner(), after.owner());
    }

    /** The commonest change, which leaves {@link #ownedBy} the same. */
    private Rows published(Row before, Row after) {
        checkPresent(before);
        return new Rows(
                byStart.plus(after.range().start(), after),
                byId.plus(after.id(), after),
                byOwner,
                unowned,
                byVersion.minus(before).plus(after));
    }

    private void checkPresent(Row row) {
        Invariant.check(row.equals(byId.get(row.id())), "%s is not a row of the map", row);
    }

    private static KeyRange union(List<Row> rows) {
        return new KeyRange(
                rows.get(0).range().start(), rows.get(rows.size() - 1).range().end());
    }

    private static void checkTiling(KeyRange whole, List<Row> rows) {
        @Nullable Key at = whole.start();
        for (Row row : rows) {
            Invariant.check(at != null && row.range().start().equals(at), "I1: %s does not begin at %s", row, at);
            at = row.range().end();
        }
        @Nullable Key end = whole.end();
        Invariant.check(Objects.equals(end, at), "I1: rows end at %s, not at %s", at, end);
    }

    private Rows plus(Row added) {
        Key start = added.range().start();
        Row last = before(start);
        Row row = sharing(added, last == null ? null : last.range().end(), byStart.higherKey(start), byOwner);
        Long id = row.id();
        Incarnation owner = row.owner();
        TreePSet<Long> owned = owner == null ? null : byOwner.getOrDefault(owner, TreePSet.empty());
        return new Rows(
                byStart.plus(row.range().start(), row),
                byId.plus(id, row),
                owner == null || owned == null ? byOwner : byOwner.plus(owner, owned.plus(id)),
                owner == null ? unowned.plus(id) : unowned,
                byVersion.plus(row));
    }

    private Rows minus(Row row) {
        checkPresent(row);
        return new Rows(
                byStart.minus(row.range().start()),
                byId.minus(row.id()),
                ownersWithout(row),
                unowned.minus(row.id()),
                byVersion.minus(row));
    }

    private TreePMap<Incarnation, TreePSet<Long>> ownersWithout(Row row) {
        Incarnation owner = row.owner();
        TreePSet<Long> owned = owner == null ? null : byOwner.get(owner);
        if (owner == null || owned == null) {
            return byOwner;
        }
        TreePSet<Long> left = owned.minus(row.id());
        return left.isEmpty() ? byOwner.minus(owner) : byOwner.plus(owner, left);
    }

    public boolean isEmpty() {
        return byStart.isEmpty();
    }

    public int size() {
        return byStart.size();
    }

    /** In key order. */
    public Collection<Row> all() {
        return byStart.values();
    }

    public @Nullable Row row(long id) {
        return byId.get(id);
    }

    /** The row that holds a key; null only before the first start. */
    public @Nullable Row at(Key key) {
        Map.Entry<Key, Row> entry = byStart.floorEntry(key);
        return entry == null ? null : entry.getValue();
    }

    /** The row that ends where a key is the start of one; null at the beginning. */
    public @Nullable Row before(Key start) {
        Map.Entry<Key, Row> entry = byStart.lowerEntry(start);
        return entry == null ? null : entry.getValue();
    }

    /** The rows that hold keys of an interval, in key order. */
    public List<Row> over(KeyRange interval) {
        List<Row> found = new ArrayList<>();
        Key from = byStart.floorKey(interval.start());
        for (Row row :
                byStart.tailMap(from == null ? interval.start() : from, true).values()) {
            if (!row.range().overlaps(interval)) {
                break;
            }
            found.add(row);
        }
        return found;
    }

    /** The ids of the ranges that an incarnation owns; another object after every change of them and of their epochs. */
    public SortedSet<Long> ownedBy(Incarnation incarnation) {
        TreePSet<Long> owned = byOwner.get(incarnation);
        return owned == null ? Collections.emptySortedSet() : owned;
    }

    /** The incarnations, dead or live, that own ranges in the map, in order. */
    public Collection<Incarnation> owners() {
        return byOwner.keySet();
    }

    /** The ids of the ranges that have had no owner yet. */
    public SortedSet<Long> unowned() {
        return unowned;
    }

    /** The version of the row that was changed last; 0 if there is none. */
    public long lastVersion() {
        return byVersion.isEmpty() ? 0 : byVersion.last().version();
    }

    /** The rows that commands after this version changed, found lazily. */
    public Iterator<Row> changedSince(long version) {
        Row first = new Row(0, KeyRange.ALL, null, null, version + 1, 0); // Of the order alone.
        return byVersion.tailSet(first, true).iterator();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Rows rows && List.copyOf(all()).equals(List.copyOf(rows.all()));
    }

    @Override
    public int hashCode() {
        return byStart.hashCode();
    }

    @Override
    public String toString() {
        return byStart.values().toString();
    }
}
