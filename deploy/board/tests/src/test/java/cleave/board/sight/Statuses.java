package cleave.board.sight;

import cleave.board.Examples;
import cleave.model.Key;
import cleave.wire.HotPartition;
import cleave.wire.Incarnation;
import cleave.wire.MapUpdate;
import cleave.wire.MasterPeer;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.ServerInfo;
import cleave.wire.SplitCandidate;
import cleave.wire.StatusReply;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers of a leader for tests: servers s1 and s2, and ranges of table 3. */
final class Statuses {
    static final Incarnation S1 =
            Incarnation.newBuilder().setServer("s1").setNumber(11).build();
    static final Incarnation S2 =
            Incarnation.newBuilder().setServer("s2").setNumber(12).build();

    private final StatusReply.Builder reply = StatusReply.newBuilder()
            .setCluster(Examples.CLUSTER)
            .setLeader("127.0.0.1:7001")
            .setTerm(4)
            .addPeers(MasterPeer.newBuilder()
                    .setId("m1")
                    .setAddress("127.0.0.1:7001")
                    .setRole("LEADER"));
    private final MapUpdate.Builder map = MapUpdate.newBuilder();

    static Statuses withServers(Incarnation... servers) {
        Statuses statuses = new Statuses();
        for (Incarnation server : servers) {
            statuses.map.addServers(
                    ServerInfo.newBuilder().setIncarnation(server).setAddress("here"));
        }
        return statuses;
    }

    /** From one key to another, each of a partition of table 3; null: the beginning or the end of the key space. */
    Statuses range(long id, @Nullable String from, @Nullable String to, Incarnation owner, RangeLoad load) {
        RangeRow.Builder row =
                RangeRow.newBuilder().setId(id).setVersion(1).setEpoch(1).setOwner(owner);
        if (from != null) {
            row.setStart(at(from).toWire());
        }
        if (to != null) {
            row.setEnd(at(to).toWire());
        }
        map.addRows(row);
        reply.addStates(RangeState.newBuilder()
                .setRange(id)
                .setState("serving")
                .setLoad(load)
                .setFirstTable(RangeTable.newBuilder().setId(0).setName("x").setState("system"))
                .setLastTable(RangeTable.newBuilder().setId(3).setAccount("a").setName("cities")));
        return this;
    }

    StatusReply reply() {
        return reply.setMap(map).build();
    }

    static Seen seen(StatusReply reply, long second) {
        return new Seen(reply, Map.of(), List.of(), List.of(), List.of(), second * 1000, 1000);
    }

    static Key at(String key) {
        return Key.beforePartition(3, key);
    }

    /** A load of reads alone, in entities a second. */
    static RangeLoad.Builder load(double entities) {
        return RangeLoad.newBuilder()
                .setEntitiesPerSecond(entities)
                .setRead(entities)
                .setBytes(1000);
    }

    /** A bound with the part of the load below it, in percent. */
    static SplitCandidate bound(String key, int below) {
        return SplitCandidate.newBuilder()
                .setAt(at(key).toWire())
                .setLeft(below)
                .setRight(100 - below)
                .build();
    }

    static HotPartition hottest(String key, double part) {
        return HotPartition.newBuilder()
                .setFirst(at(key).toWire())
                .setPart(part)
                .setSamples(500)
                .build();
    }
}
