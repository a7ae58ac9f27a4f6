package cleave.master.state;

import cleave.model.Row;
import cleave.wire.MasterSnapshot;
import cleave.wire.PendingDrop;
import cleave.wire.ServerInfo;
import org.pcollections.TreePMap;

/** The whole state to and from the bytes of a snapshot. Stateless. Reading checks the tiling (invariant I1) anew. */
public final class SnapshotCodec {
    private SnapshotCodec() {}

    public static MasterSnapshot toWire(MasterState state) {
        MasterSnapshot.Builder wire =
                MasterSnapshot.newBuilder().setMapVersion(state.mapVersion()).setNextTable(state.nextTable());
        state.rows().all().forEach(row -> wire.addRows(row.toWire()));
        state.servers().values().forEach(server -> wire.addServers(server.toWire()));
        state.drops().values().forEach(drop -> wire.addDrops(drop.toWire()));
        BalancerSettings settings = state.settings();
        if (settings != null) {
            wire.addAllSettings(SettingsCodec.toWire(settings.texts()));
        }
        return wire.build();
    }

    public static MasterState fromWire(MasterSnapshot wire) {
        TreePMap<String, Server> servers = TreePMap.empty();
        for (ServerInfo info : wire.getServersList()) {
            Server server = Server.fromWire(info);
            servers = servers.plus(server.incarnation().server(), server);
        }
        TreePMap<Long, Drop> drops = TreePMap.empty();
        for (PendingDrop pending : wire.getDropsList()) {
            drops = drops.plus(pending.getTable(), Drop.fromWire(pending));
        }
        Rows rows = Rows.of(wire.getRowsList().stream().map(Row::fromWire).toList());
        BalancerSettings settings = wire.getSettingsCount() == 0
                ? null
                : BalancerSettings.ofKnown(SettingsCodec.fromWire(wire.getSettingsList()));
        return new MasterState(wire.getMapVersion(), rows, servers, wire.getNextTable(), drops, settings);
    }
}
