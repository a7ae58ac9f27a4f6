package cleave.master.state;

import cleave.model.KnownMasters;
import cleave.model.Row;
import cleave.wire.MapUpdate;
import java.util.SortedSet;
import java.util.TreeSet;

/** The partition map and its changes as watchers get them. Stateless. */
public final class MapChanges {
    private MapChanges() {}

    /** The whole map. */
    public static MapUpdate whole(MasterState state, KnownMasters masters) {
        MapUpdate.Builder update = start(state, masters).setWhole(true);
        state.rows().all().forEach(row -> update.addRows(row.toWire()));
        return update.build();
    }

    /**
     * What a watcher lacks who has an older state of the same history. Costs as much as has changed: since targets always tile
     * their sources, a row that is gone lay where now a changed one lies.
     */
    public static MapUpdate between(MasterState older, MasterState newer, KnownMasters masters) {
        MapUpdate.Builder update = start(newer, masters);
        SortedSet<Long> gone = new TreeSet<>();
        for (Row row : newer.rows().changedSince(older.mapVersion())) {
            update.addRows(row.toWire());
            for (Row before : older.rows().over(row.range())) {
                if (newer.rows().row(before.id()) == null) {
                    gone.add(before.id());
                }
            }
        }
        return update.addAllRemoved(gone).build();
    }

    private static MapUpdate.Builder start(MasterState state, KnownMasters masters) {
        MapUpdate.Builder update = masters.into(MapUpdate.newBuilder().setVersion(state.mapVersion()));
        state.servers().values().forEach(server -> update.addServers(server.toWire()));
        return update;
    }
}
