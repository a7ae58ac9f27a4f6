package cleave.master.state;

import cleave.model.KnownMasters;
import cleave.model.MapChange;
import cleave.model.Row;
import cleave.wire.ServerInfo;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The partition map and its changes as watchers get them. Stateless. */
public final class MapChanges {
    private MapChanges() {}

    /** The whole map. */
    public static MapChange whole(MasterState state, KnownMasters masters) {
        return MapChange.whole(header(state, true, masters), state.rows().all().iterator());
    }

    /** The ranges that incarnations of one server own, alive or dead. */
    public static MapChange ownedBy(MasterState state, String server, KnownMasters masters) {
        Iterator<Row> owned = state.rows().owners().stream()
                .filter(owner -> owner.server().equals(server))
                .flatMap(owner -> state.rows().ownedBy(owner).stream())
                .map(id -> state.rows().row(id))
                .filter(Objects::nonNull)
                .iterator();
        return MapChange.whole(header(state, false, masters), owned);
    }

    /** These rows of the map. */
    public static MapChange of(MasterState state, Collection<Row> rows, KnownMasters masters) {
        return MapChange.whole(header(state, false, masters), rows.iterator());
    }

    /**
     * The change for a watcher that has an older state of the same history. It costs as much as has changed, and the list of servers:
     * since targets always tile their sources, a row that is gone lay where now a changed one lies.
     */
    public static MapChange between(MasterState older, MasterState newer, KnownMasters masters) {
        return between(older, newer, header(newer, false, masters));
    }

    /** The same for a watcher that has the older state from here: servers that have not changed are left out. */
    @SuppressWarnings("ReferenceEquality") // The servers are another object when they have changed.
    public static MapChange since(MasterState older, MasterState newer, KnownMasters masters) {
        return older.servers() == newer.servers()
                ? between(older, newer, header(newer, false, null, masters))
                : between(older, newer, masters);
    }

    private static MapChange between(MasterState older, MasterState newer, MapChange.Header header) {
        return new MapChange(
                header,
                newer.rows().changedSince(older.mapVersion()),
                row -> older.rows().over(row.range()).stream()
                        .filter(before -> row.range().contains(before.range().start()))
                        .map(Row::id)
                        .filter(id -> newer.rows().row(id) == null)
                        .iterator());
    }

    private static MapChange.Header header(MasterState state, boolean isWhole, KnownMasters masters) {
        List<ServerInfo> servers =
                state.servers().values().stream().map(server -> server.toWire()).toList();
        return header(state, isWhole, servers, masters);
    }

    private static MapChange.Header header(
            MasterState state, boolean isWhole, @Nullable List<ServerInfo> servers, KnownMasters masters) {
        return new MapChange.Header(state.mapVersion(), isWhole, servers, masters, state.level(), state.cluster());
    }
}
