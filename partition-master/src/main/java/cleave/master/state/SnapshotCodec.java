package cleave.master.state;

import cleave.model.Damaged;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.KnownFields;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.wire.MasterSnapshot;
import cleave.wire.PendingDrop;
import cleave.wire.RangeRow;
import cleave.wire.ServerInfo;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.ExtensionRegistryLite;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.pcollections.TreePMap;

/**
 * The whole state to and from the bytes of a snapshot, which are those of one {@link MasterSnapshot}. Stateless. Rows
 * are written and read one at a time, so a snapshot takes no more memory than the state. Reading checks the tiling
 * (invariant I1) again; a snapshot in a format of another version is an {@link UnknownFormat}.
 */
public final class SnapshotCodec {
    private static final int ROW_TAG = MasterSnapshot.ROWS_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private SnapshotCodec() {}

    public static void write(MasterState state, OutputStream to) throws IOException {
        CodedOutputStream out = CodedOutputStream.newInstance(to);
        out.writeUInt64(MasterSnapshot.MAP_VERSION_FIELD_NUMBER, state.mapVersion());
        for (Row row : state.rows().all()) {
            out.writeMessage(MasterSnapshot.ROWS_FIELD_NUMBER, row.toWire());
        }
        rest(state).writeTo(out);
        out.flush();
    }

    public static byte[] encode(MasterState state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            write(state, bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static MasterSnapshot rest(MasterState state) {
        MasterSnapshot.Builder wire = MasterSnapshot.newBuilder()
                .setCluster(state.cluster())
                .setNextTable(state.nextTable())
                .setDfs(state.dfs());
        state.servers().values().forEach(server -> wire.addServers(server.toWire()));
        state.drops().values().forEach(drop -> wire.addDrops(drop.toWire()));
        state.fences().all().forEach(fence -> wire.addFences(fence.toWire()));
        state.acts().all().forEach(act -> wire.addActs(act.toWire()));
        wire.setForgottenActs(state.acts().forgotten());
        BalancerSettings settings = state.settings();
        if (settings != null) {
            wire.addAllSettings(SettingsCodec.toWire(settings.texts()));
        }
        if (state.level() > FeatureLevels.FIRST) {
            wire.setLevel(state.level());
        }
        return wire.build();
    }

    /**
     * Throws {@link Damaged} if the bytes are not a snapshot, or {@link UnknownFormat} if another version wrote them.
     */
    public static MasterState read(InputStream from, FeatureLevels known) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(from);
        in.setSizeLimit(Integer.MAX_VALUE);
        List<Row> rows = new ArrayList<>();
        UnknownFieldSet.Builder others = UnknownFieldSet.newBuilder();
        RuntimeException unreadable = null; // The level, which may stand behind it, tells more.
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag != ROW_TAG) {
                    others.mergeFieldFrom(tag, in);
                    continue;
                }
                RangeRow row = in.readMessage(RangeRow.parser(), ExtensionRegistryLite.getEmptyRegistry());
                try {
                    KnownFields.check("the snapshot", row);
                    rows.add(Row.fromWire(row));
                } catch (RuntimeException notThisVersions) {
                    unreadable = unreadable == null ? notThisVersions : unreadable;
                }
            }
            MasterSnapshot rest = MasterSnapshot.parseFrom(others.build().toByteString());
            known.check("the snapshot", levelOf(rest));
            KnownFields.check("the snapshot", rest);
            if (unreadable != null) {
                throw unreadable;
            }
            return state(rows, rest);
        } catch (InvalidProtocolBufferException malformed) {
            throw new Damaged("it is no snapshot: " + malformed.getMessage(), malformed);
        }
    }

    /** Reads the bytes of {@link #encode} as {@link #read} does. */
    public static MasterState decode(byte[] bytes, FeatureLevels known) {
        try {
            return read(new ByteArrayInputStream(bytes), known);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static int levelOf(MasterSnapshot wire) {
        return Math.max(FeatureLevels.FIRST, wire.getLevel());
    }

    private static Fences fences(MasterSnapshot wire) {
        try {
            return Fences.of(wire.getFencesList().stream().map(Fence::fromWire).toList());
        } catch (IllegalArgumentException illegal) {
            throw new Damaged("the snapshot is illegal: " + illegal.getMessage(), illegal);
        }
    }

    private static MasterState state(List<Row> rows, MasterSnapshot wire) {
        TreePMap<String, Server> servers = TreePMap.empty();
        for (ServerInfo info : wire.getServersList()) {
            Server server = Server.fromWire(info);
            servers = servers.plus(server.incarnation().server(), server);
        }
        TreePMap<Long, Drop> drops = TreePMap.empty();
        for (PendingDrop pending : wire.getDropsList()) {
            drops = drops.plus(pending.getTable(), Drop.fromWire(pending));
        }
        BalancerSettings settings = wire.getSettingsCount() == 0
                ? null
                : BalancerSettings.replicated(SettingsCodec.fromWire(wire.getSettingsList()));
        return new MasterState(
                wire.getCluster(),
                wire.getMapVersion(),
                Rows.of(rows),
                servers,
                wire.getNextTable(),
                drops,
                settings,
                levelOf(wire),
                wire.getDfs(),
                fences(wire),
                Acts.of(wire.getActsList().stream().map(Act::fromWire).toList(), wire.getForgottenActs()));
    }
}
