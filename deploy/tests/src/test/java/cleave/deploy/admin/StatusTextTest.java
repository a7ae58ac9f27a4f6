package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.Incarnation;
import cleave.wire.MapUpdate;
import cleave.wire.MasterPeer;
import cleave.wire.PendingDrop;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.ServerClock;
import cleave.wire.ServerInfo;
import cleave.wire.ServerSeen;
import cleave.wire.ServerSpace;
import cleave.wire.Space;
import cleave.wire.StatusReply;
import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final Incarnation S1 =
            Incarnation.newBuilder().setServer("s1").setNumber(4).build();
    private static final ByteString BOUND = Key.beforePartition(7, "FR").toWire();

    private static final StatusReply STATUS = StatusReply.newBuilder()
            .setSelf("m1")
            .setLeader("h:1")
            .addPeers(MasterPeer.newBuilder().setId("m1").setAddress("h:1").setRole("LEADER"))
            .addPeers(MasterPeer.newBuilder().setId("m2").setAddress("h:2").setRole("FOLLOWER"))
            .setMap(MapUpdate.newBuilder()
                    .setVersion(12)
                    .addRows(RangeRow.newBuilder()
                            .setId(Row.id(9, 1))
                            .setStart(BOUND)
                            .setVersion(9)
                            .setEpoch(9))
                    .addRows(RangeRow.newBuilder()
                            .setId(Row.id(9, 0))
                            .setEnd(BOUND)
                            .setOwner(S1)
                            .setManifest("9.0/9/s1.4/manifest-1")
                            .setVersion(12)
                            .setEpoch(9))
                    .addServers(ServerInfo.newBuilder().setIncarnation(S1).setAddress("h:3")))
            .addStates(RangeState.newBuilder()
                    .setRange(Row.id(9, 0))
                    .setState("serving")
                    .setEntitiesPerSecond(1234.4)
                    .setFirstTable(RangeTable.newBuilder().setName("registry").setState("system"))
                    .setLastTable(table(7, "a", "red"))
                    .setBytes(3 << 20))
            .addStates(RangeState.newBuilder()
                    .setRange(Row.id(9, 1))
                    .setState("unowned")
                    .setFirstTable(table(7, "a", "red"))
                    .setTrouble("no DFS"))
            .addDrops(PendingDrop.newBuilder().setAccount("a").setName("old").setTable(3))
            .build();

    @Test
    void rangesAreListedInKeyOrderWithTheirOwnersAndLoad() {
        assertThat(StatusText.ranges(STATUS)).isEqualTo("""
                        RANGE  START  END   TABLES                OWNER  STATE    ENTITIES/S  MIB  VERSION  EPOCH  TROUBLE
                          9.0  -      7/FR  (registry) ... a/red  s1.4   serving        1234  3.0       12      9  -
                          9.1  7/FR   -     a/red                 -      unowned           0  0.0        9      9  no DFS
                        """);
    }

    @Test
    void whyAServerGetsNoRangesBecauseOfTheDfsIsSaid() {
        StatusReply status = STATUS.toBuilder()
                .addSeen(ServerSeen.newBuilder()
                        .setIncarnation(S1)
                        .setDfsProblem("the DFS has not answered it for 12 s"))
                .build();

        assertThat(StatusText.servers(status))
                .endsWith("\nServer s1 gets no ranges: the DFS has not answered it for 12 s.\n");
    }

    private static RangeTable.Builder table(long id, String account, String name) {
        return RangeTable.newBuilder().setId(id).setAccount(account).setName(name);
    }

    @Test
    void whatIsNotKnownOfATableIsSaid() {
        StatusReply.Builder status = STATUS.toBuilder().setNamesMissing("the registry cannot be read: no\ntime");
        status.getStatesBuilder(0).setLastTable(table(7, "", ""));
        status.getStatesBuilder(1)
                .setFirstTable(table(7, "a", "red").setState("deleting"))
                .setLastTable(table(8, "", "").setState("deleted"));
        assertThat(StatusText.ranges(status.build()))
                .contains("  (registry) ... 7  ", "  a/red (deleting) ... 8 (deleted)  ")
                .endsWith("no DFS\nthe registry cannot be read: no time.\n");
        assertThat(StatusText.rangesJson(status.build()))
                .contains("\"state\" : \"deleted\"")
                .contains("\"namesMissing\" : \"the registry cannot be read: no\\ntime\"");
        status.getStatesBuilder(0).clearFirstTable();
        assertThat(StatusText.ranges(status.build())).contains("  7/FR  -  ");
    }

    @Test
    void namesAndKeysSendNothingToTheTerminal() {
        StatusReply.Builder status = STATUS.toBuilder();
        status.getStatesBuilder(1).setFirstTable(table(7, "a\u001b[2J", "re\nd"));
        status.getMapBuilder()
                .getRowsBuilder(0)
                .setStart(Key.beforePartition(7, "\u001b]0;x\u0007").toWire());
        assertThat(StatusText.ranges(status.build()))
                .contains("a\\u001b[2J/re d", "7/\\u001b]0;x\\u0007")
                .doesNotContain("\u001b");
    }

    @Test
    void serversAreListedWithWhatTheyOwn() {
        assertThat(StatusText.servers(STATUS)).isEqualTo("""
                        SERVER  INCARNATION  ADDRESS  STATE  RANGES  ENTITIES/S  MIB  FREE MIB  CLOCK
                        s1                4  h:3      live        1        1234  3.0  -         -
                        """);
    }

    @Test
    void aServerWithLittleSpaceIsMarked() {
        Space space = Space.newBuilder()
                .setFreeBytes(700 << 20)
                .setReserveBytes(1 << 30)
                .build();
        StatusReply low = STATUS.toBuilder()
                .addSpaces(ServerSpace.newBuilder().setIncarnation(S1).setSpace(space))
                .build();
        assertThat(StatusText.servers(low)).contains("700 low");
        assertThat(StatusText.serversJson(low))
                .contains("\"freeBytes\" : 734003200")
                .contains("\"low\" : true");
    }

    @Test
    void aServerWhoseClockIsOffIsMarked() {
        ServerClock.Builder clock = ServerClock.newBuilder().setIncarnation(S1).setAheadTicks(2_000_000);
        assertThat(StatusText.servers(STATUS.toBuilder().addClocks(clock).build()))
                .contains("+0.2 s")
                .doesNotContain("off");
        StatusReply off = STATUS.toBuilder()
                .addClocks(clock.setAheadTicks(-36_000_000_000L).setOff(true))
                .build();
        assertThat(StatusText.servers(off)).contains("-3600.0 s off");
        assertThat(StatusText.serversJson(off))
                .contains("\"clockAheadMillis\" : -3600000")
                .contains("\"clockOff\" : true");
    }

    @Test
    void aLeaderWhoseClockIsOffIsNamedBelowTheServers() {
        StatusReply off =
                STATUS.toBuilder().setLeaderAheadTicks(36_000_000_000L).build();
        assertThat(StatusText.servers(off))
                .endsWith(
                        "The clock of master m1, the leader, is 3600.0 s ahead of those of most servers: correct it.\n");
        assertThat(StatusText.serversJson(off)).contains("\"leaderClockAheadMillis\" : 3600000");
    }

    @Test
    void whatIsBeingDoneToRangesAndServersIsSaid() {
        StatusReply.Builder busy = STATUS.toBuilder();
        busy.getStatesBuilder(0).setHandoff("move");
        busy.getMapBuilder().getServersBuilder(0).setDraining(true);
        assertThat(StatusText.ranges(busy.build())).contains("serving, move");
        assertThat(StatusText.servers(busy.build())).contains("draining");
        busy.getMapBuilder().clearRows();
        assertThat(StatusText.servers(busy.build())).contains("drained");
    }

    @Test
    void theLeaderIsNamedAndDropsUnderWayToo() {
        assertThat(StatusText.leader(STATUS)).isEqualTo("""
                        MASTER  ADDRESS  ROLE
                        m1      h:1      LEADER
                        m2      h:2      FOLLOWER
                        map version 12
                        feature level 1
                        deleting table a/old (id 3)
                        """);
    }

    private static StatusReply of(String... roles) {
        StatusReply.Builder status = STATUS.toBuilder().clearPeers();
        for (int i = 0; i < roles.length; i++) {
            status.addPeers(peer("m" + (i + 1), roles[i], "m" + (i + 1), 0));
        }
        return status.build();
    }

    @Test
    void mastersAreListedWithWhatTheyWouldWithstand() {
        StatusReply three = STATUS.toBuilder()
                .clearPeers()
                .addPeers(peer("m1", "LEADER", "m1", 0))
                .addPeers(peer("m2", "FOLLOWER", "m2#1a2b3c4d", 3))
                .addPeers(peer("m3", "UNKNOWN", "m3", -1))
                .addPeers(peer("m4", "JOINING", "m4#00000000", 900))
                .build();
        assertThat(StatusText.masters(three)).isEqualTo("""
                        MASTER  ADDRESS  RAFT  ROLE      BEHIND  MEMBER
                        m1      h:1      r:1   LEADER         0  m1
                        m2      h:2      r:2   FOLLOWER       3  m2#1a2b3c4d
                        m3      h:3      r:3   UNKNOWN        -  m3
                        m4      h:4      r:4   JOINING      900  m4#00000000
                        3 members, of which 1 cannot be reached; the map can change while no other fails
                        """);
        assertThat(StatusText.masters(of("LEADER", "UNKNOWN", "UNKNOWN")))
                .contains("of which 2 cannot be reached; the map cannot change until more of them answer");
        assertThat(StatusText.masters(of("LEADER", "FOLLOWER", "FOLLOWER"))).contains("while no more than 1 fail");
        assertThat(StatusText.masters(of("LEADER"))).contains("1 member; the map can change while it runs");
        assertThat(StatusText.leaderJson(three)).contains("\"member\" : \"m2#1a2b3c4d\"", "\"behind\" : 3");
    }

    private static MasterPeer.Builder peer(String id, String role, String member, long behind) {
        return MasterPeer.newBuilder()
                .setId(id)
                .setAddress("h:" + id.substring(1))
                .setRaft("r:" + id.substring(1))
                .setRole(role)
                .setMember(member)
                .setBehind(behind);
    }

    @Test
    void jsonHoldsTheSame() {
        assertThat(StatusText.rangesJson(STATUS))
                .contains("\"id\" : \"9.0\"")
                .contains("\"owner\" : \"s1\"")
                .contains("\"owner\" : null")
                .contains("\"mapVersion\" : 12")
                .contains("\"name\" : \"red\"", "\"lastTable\" : null")
                .contains("\"trouble\" : \"no DFS\"");
        assertThat(StatusText.serversJson(STATUS))
                .contains("\"incarnation\" : 4")
                .contains("\"bytes\" : 3145728");
        assertThat(StatusText.leaderJson(STATUS))
                .contains("\"leader\" : \"h:1\"")
                .contains("\"role\" : \"FOLLOWER\"");
    }
}
