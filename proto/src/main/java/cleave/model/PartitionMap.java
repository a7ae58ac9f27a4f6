package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ServerInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * The partition map as a watcher knows it: a hint about who owns what, made true by asking the owner. Immutable.
 *
 * <p>Invariant I1: the rows of a map that came from a master tile the key space.
 */
public final class PartitionMap {
    public static final PartitionMap EMPTY =
            new PartitionMap(0, TreePMap.empty(), HashTreePMap.empty(), Map.of(), KnownMasters.NONE);

    private final long version;
    private final TreePMap<Key, Row> byStart;
    private final PMap<Long, Row> byId;
    private final Map<Incarnation, String> addresses;
    private final KnownMasters masters;

    private PartitionMap(
            long version,
            TreePMap<Key, Row> byStart,
            PMap<Long, Row> byId,
            Map<Incarnation, String> addresses,
            KnownMasters masters) {
        this.version = version;
        this.byStart = byStart;
        this.byId = byId;
        this.addresses = addresses;
        this.masters = masters;
    }

    /**
     * This map with an update applied; an update that is not newer changes nothing but what is known of the masters. Changes may be
     * since an older version than this map's: what is gone without being named lies under the rows that came in its place.
     * IllegalArgumentException if the update holds what is no row.
     */
    public PartitionMap with(MapUpdate update) {
        KnownMasters known = masters.with(update);
        if (update.getVersion() < version || (update.getVersion() == version && version != 0)) {
            return known.equals(masters) ? this : new PartitionMap(version, byStart, byId, addresses, known);
        }
        PartitionMap before = update.getWhole() ? EMPTY : this;
        TreePMap<Key, Row> starts = before.byStart;
        PMap<Long, Row> ids = before.byId;
        for (long id : update.getRemovedList()) {
            Row gone = ids.get(id);
            if (gone != null) {
                starts = starts.minus(gone.range().start());
                ids = ids.minus(id);
            }
        }
        for (RangeRow wire : update.getRowsList()) {
            Row row = Row.fromWire(wire);
            for (Row replaced : rowsOver(starts, row.range())) {
                starts = starts.minus(replaced.range().start());
                ids = ids.minus(replaced.id());
            }
            starts = starts.plus(row.range().start(), row);
            ids = ids.plus(row.id(), row);
        }
        Map<Incarnation, String> servers = new TreeMap<>();
        for (ServerInfo server : update.getServersList()) {
            servers.put(Incarnation.fromWire(server.getIncarnation()), server.getAddress());
        }
        return new PartitionMap(update.getVersion(), starts, ids, servers, known);
    }

    /** The whole map as one update, for a watcher that has nothing. */
    public MapUpdate toWire() {
        MapUpdate.Builder update =
                masters.into(MapUpdate.newBuilder().setVersion(version).setWhole(true));
        byStart.values().forEach(row -> update.addRows(row.toWire()));
        addServers(update);
        return update.build();
    }

    /** What has changed since an older map, as one update. */
    public MapUpdate changesSince(PartitionMap older) {
        MapUpdate.Builder update = masters.into(MapUpdate.newBuilder().setVersion(version));
        for (Row row : byStart.values()) {
            if (row.version() > older.version || !row.equals(older.row(row.id()))) {
                update.addRows(row.toWire());
            }
        }
        for (Row row : older.byStart.values()) {
            if (!byId.containsKey(row.id())) {
                update.addRemoved(row.id());
            }
        }
        addServers(update);
        return update.build();
    }

    private void addServers(MapUpdate.Builder update) {
        addresses.forEach((incarnation, address) -> update.addServers(
                ServerInfo.newBuilder().setIncarnation(incarnation.toWire()).setAddress(address)));
    }

    /** Raft index of the last command that changed rows or servers; 0 = nothing is known. */
    public long version() {
        return version;
    }

    /** The range that holds a key; null while nothing is known. */
    public @Nullable Row lookup(Key key) {
        Map.Entry<Key, Row> entry = byStart.floorEntry(key);
        return entry != null && entry.getValue().range().contains(key) ? entry.getValue() : null;
    }

    public @Nullable Row row(long id) {
        return byId.get(id);
    }

    /** In key order. */
    public Collection<Row> rows() {
        return byStart.values();
    }

    /** Those that hold keys of an interval, in key order. */
    public List<Row> rowsOver(KeyRange interval) {
        return rowsOver(byStart, interval);
    }

    private static List<Row> rowsOver(TreePMap<Key, Row> starts, KeyRange interval) {
        List<Row> rows = new ArrayList<>();
        if (starts.isEmpty()) {
            return rows;
        }
        Key from = starts.floorKey(interval.start());
        for (Row row :
                starts.tailMap(from == null ? interval.start() : from, true).values()) {
            if (interval.end() != null && row.range().start().compareTo(interval.end()) >= 0) {
                break;
            }
            if (row.range().overlaps(interval)) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** Where an incarnation is reached; null if it is not a live one as far as this map knows. */
    public @Nullable String address(Incarnation incarnation) {
        return addresses.get(incarnation);
    }

    /** The live servers. */
    public Map<Incarnation, String> servers() {
        return addresses;
    }

    /** Address of the master that leads, as far as known; may be empty. */
    public String leader() {
        return masters.leader();
    }

    /** The masters, as far as known. */
    public KnownMasters masters() {
        return masters;
    }
}
