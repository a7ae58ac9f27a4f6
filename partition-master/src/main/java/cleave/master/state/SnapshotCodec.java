package cleave.master.state;

import cleave.model.Damaged;
import cleave.model.FeatureLevels;
import cleave.model.KnownFields;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.wire.MasterSnapshot;
import cleave.wire.PendingDrop;
import cleave.wire.ServerInfo;
import com.google.protobuf.InvalidProtocolBufferException;
import org.pcollections.TreePMap;

/**
 * The whole state to and from the bytes of a snapshot. Stateless. Reading checks the tiling (invariant I1) anew; what another version
 * wrote and this one does not understand is an {@link UnknownFormat}.
 */
public final class SnapshotCodec {
    private SnapshotCodec() {}

    public static MasterSnapshot toWire(MasterState state) {
        MasterSnapshot.Builder wire = MasterSnapshot.newBuilder()
                .setCluster(state.cluster())
                .setMapVersion(state.mapVersion())
                .setNextTable(state.nextTable());
        state.rows().all().forEach(row -> wire.addRows(row.toWire()));
        state.servers().values().forEach(server -> wire.addServers(server.toWire()));
        state.drops().values().forEach(drop -> wire.addDrops(drop.toWire()));
        BalancerSettings settings = state.settings();
        if (settings != null) {
            wire.addAllSettings(SettingsCodec.toWire(settings.texts()));
        }
        if (state.level() > FeatureLevels.FIRST) {
            wire.setLevel(state.level());
        }
        return wire.build();
    }

    public static MasterState decode(byte[] bytes, FeatureLevels known) {
        MasterSnapshot wire;
        try {
            wire = MasterSnapshot.parseFrom(bytes);
        } catch (InvalidProtocolBufferException malformed) {
            throw new Damaged("it is no snapshot: " + malformed.getMessage(), malformed);
        }
        known.check("the snapshot", levelOf(wire));
        KnownFields.check("the snapshot", wire);
        return fromWire(wire);
    }

    private static int levelOf(MasterSnapshot wire) {
        return Math.max(FeatureLevels.FIRST, wire.getLevel());
    }

    private static MasterState fromWire(MasterSnapshot wire) {
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
                : BalancerSettings.replicated(SettingsCodec.fromWire(wire.getSettingsList()));
        return new MasterState(
                wire.getCluster(),
                wire.getMapVersion(),
                rows,
                servers,
                wire.getNextTable(),
                drops,
                settings,
                levelOf(wire));
    }
}
