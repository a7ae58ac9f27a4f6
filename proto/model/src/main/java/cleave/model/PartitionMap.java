package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ServerInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The partition map as a watcher knows it. It may be out of date; only the owner itself knows whether it still owns a
 * range. Immutable.
 *
 * <p>Invariant I1: the rows of a map that came from a master tile the key space.
 */
public final class PartitionMap {
    public static final PartitionMap EMPTY = new PartitionMap(
            "", 0, new MapDraft(TreePMap.empty(), TreePMap.empty(), TreePMap.empty()), Map.of(), KnownMasters.NONE);

    private final String cluster;
    private final long version;
    private final TreePMap<Key, Row> byStart;
    private final TreePMap<Long, Row> byId;
    private final TreePMap<MapDraft.Stamp, Row> byVersion;
    private final Map<Incarnation, String> addresses;
    private final KnownMasters masters;

    private PartitionMap(
            String cluster, long version, MapDraft rows, Map<Incarnation, String> addresses, KnownMasters masters) {
        this.cluster = cluster;
        this.version = version;
        this.byStart = rows.byStart;
        this.byId = rows.byId;
        this.byVersion = rows.byVersion;
        this.addresses = addresses;
        this.masters = masters;
    }

    /** An empty map of a known cluster. */
    public static PartitionMap ofCluster(String cluster) {
        return EMPTY.told(cluster, KnownMasters.NONE);
    }

    /**
     * This map with an update applied that is not in pieces. An update that is not newer changes only the known masters. It may contain
     * changes since an older version than this map's; ranges that are gone are those that the new rows overlap. IllegalArgumentException if
     * the update contains an invalid row.
     */
    public PartitionMap with(MapUpdate update) {
        if (!isOlderThan(update)) {
            return told(update.getCluster(), masters.with(update));
        }
        MapDraft changed = draft(update.getWhole());
        update.getRemovedList().forEach(changed::remove);
        for (RangeRow row : update.getRowsList()) {
            changed.put(Row.fromWire(row));
        }
        return finished(changed, update.getCluster(), update.getVersion(), serversOf(update), masters.with(update));
    }

    /** This map with a change applied, none of whose pieces was taken yet. */
    public PartitionMap with(MapChange change) {
        MapDraft changed = draft(change.header().whole());
        change.forEachRow(changed::put, changed::remove);
        MapChange.Header header = change.header();
        return finished(changed, header.cluster(), header.version(), header.servers(), masters.with(header.masters()));
    }

    /** Null if they are the same as before. */
    static @Nullable Collection<ServerInfo> serversOf(MapUpdate update) {
        return update.getSameServers() ? null : update.getServersList();
    }

    boolean isOlderThan(MapUpdate update) {
        return update.getVersion() > version || version == 0;
    }

    /** This map, with the known masters and the known cluster. */
    PartitionMap told(String toldCluster, KnownMasters known) {
        String whose = known(toldCluster);
        return known.equals(masters) && whose.equals(cluster)
                ? this
                : new PartitionMap(whose, version, draft(false), addresses, known);
    }

    private String known(String toldCluster) {
        return toldCluster.isEmpty() ? cluster : toldCluster;
    }

    /** True if both are known and differ. */
    public static boolean areDifferentClusters(String one, String other) {
        return !one.isEmpty() && !other.isEmpty() && !one.equals(other);
    }

    /** The header of a change. */
    MapDraft draft(boolean whole) {
        return whole
                ? new MapDraft(TreePMap.empty(), TreePMap.empty(), TreePMap.empty())
                : new MapDraft(byStart, byId, byVersion);
    }

    /** @param servers null: those of this map, for a sender whose servers have not changed since an older one */
    PartitionMap finished(
            MapDraft rows,
            String toldCluster,
            long newVersion,
            @Nullable Collection<ServerInfo> servers,
            KnownMasters known) {
        if (servers == null) {
            return new PartitionMap(known(toldCluster), newVersion, rows, addresses, known);
        }
        Map<Incarnation, String> newAddresses = new TreeMap<>();
        for (ServerInfo server : servers) {
            newAddresses.put(Incarnation.fromWire(server.getIncarnation()), server.getAddress());
        }
        return new PartitionMap(known(toldCluster), newVersion, rows, newAddresses, known);
    }

    /** The whole map, for a watcher that has nothing. */
    public MapChange whole() {
        return MapChange.whole(header(true), byStart.values().iterator());
    }

    /**
     * The changes since an older map, at a cost proportional to them. Ranges that are gone are those that changed rows
     * overlap.
     */
    public MapChange changesSince(PartitionMap older) {
        Iterator<Row> changed = byVersion
                .tailMap(new MapDraft.Stamp(older.version + 1, 0), true)
                .values()
                .iterator();
        return new MapChange(
                header(false),
                changed,
                row -> older.rowsOver(row.range()).stream()
                        .filter(before -> row.range().contains(before.range().start()))
                        .map(Row::id)
                        .filter(id -> !byId.containsKey(id))
                        .iterator());
    }

    private MapChange.Header header(boolean isWhole) {
        List<ServerInfo> servers = new ArrayList<>();
        addresses.forEach((incarnation, address) -> servers.add(ServerInfo.newBuilder()
                .setIncarnation(incarnation.toWire())
                .setAddress(address)
                .build()));
        return new MapChange.Header(version, isWhole, servers, masters, 0, cluster);
    }

    /** Id of the cluster whose map this is; empty while it is not known. */
    public String cluster() {
        return cluster;
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

    /** The rows that hold keys of an interval, in key order. */
    public List<Row> rowsOver(KeyRange interval) {
        List<Row> rows = new ArrayList<>();
        if (byStart.isEmpty()) {
            return rows;
        }
        Key from = byStart.floorKey(interval.start());
        for (Row row :
                byStart.tailMap(from == null ? interval.start() : from, true).values()) {
            if (interval.end() != null && row.range().start().compareTo(interval.end()) >= 0) {
                break;
            }
            if (row.range().overlaps(interval)) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The address of an incarnation; null if this map does not contain it as a live one. */
    public @Nullable String address(Incarnation incarnation) {
        return addresses.get(incarnation);
    }

    /** The live servers. */
    public Map<Incarnation, String> servers() {
        return addresses;
    }

    /** The addresses of servers and masters, as far as known. */
    public Set<String> peers() {
        Set<String> peers = new HashSet<>(addresses.values());
        peers.addAll(masters.addresses());
        return peers;
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
