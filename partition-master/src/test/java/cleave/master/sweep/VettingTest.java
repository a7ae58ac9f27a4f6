package cleave.master.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeFiles;
import cleave.master.loop.FakeServer;
import cleave.master.loop.SharedLog;
import cleave.master.policy.HighWater;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Row;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.GroupMember;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a leader does whose map is not the one that the files of the DFS were made under. */
class VettingTest {
    private static final String OTHER = "99999999-2222-3333-4444-555555555555";

    private final Bench bench = new Bench();

    /** A leader who begins on these files. */
    private Master leader(String... paths) {
        List.of(paths).forEach(bench.files::put);
        Master master = bench.master("m1");
        master.replica().lead();
        bench.time.advanceMillis(300);
        return master;
    }

    private List<Event> halts(Master master) {
        var reply = master.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();
        return reply.join().getEventsList().stream()
                .filter(event -> event.getKind().equals("halted"))
                .toList();
    }

    private MasterAnswer allocate(Master master) {
        var answer = master.loop().execute(new AllocateTableIds(1));
        bench.time.runReady();
        return answer.join();
    }

    @Test
    void anEmptyMapOverTheFilesOfAnOldOneBeginsNothing() {
        Master master = leader("ranges/7.0/7-s1.3-log-1");
        bench.pass(5_000);
        assertThat(bench.log.state().rows().isEmpty()).isTrue();
        assertThat(allocate(master).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(allocate(master).message()).contains("ranges/7.0/7-s1.3-log-1", "version 7", "theirs is version 0");
        assertThat(master.loop().readiness().missing()).contains("newest folders");
        assertThat(halts(master)).hasSize(1);
        assertThat(bench.files.paths()).hasSize(1);
    }

    @Test
    void aLeaderThatIsNotReadyYetPutsNothingIntoTheLog() {
        Master master = bench.master("m1");
        master.replica().isElected();
        assertThat(allocate(master).code()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(bench.log.commands()).isEmpty();
    }

    @Test
    void aMapOfThePastGivesNoOrders() {
        Master first = bench.leader("m1");
        FakeServer server = bench.server("s1", first);
        bench.pass(1_000);
        assertThat(server.orders()).isNotEmpty();
        first.replica().stepDown();
        bench.pass(200);
        Row row = bench.row();
        bench.files.put("ranges/" + Row.idText(row.id()) + "/" + (row.epoch() + 50) + "-s1.1-log-4");

        first.replica().lead();
        bench.pass(5_000);

        assertThat(server.orders()).isEmpty();
        assertThat(allocate(first).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aMapThatHasNotComeAsFarAsTheDfsSaysChangesNothing() {
        Master first = bench.leader("m1");
        bench.server("s1", first);
        bench.pass(1_000);
        assertThat(bench.files.noted).isEqualTo(HighWater.of(bench.log.state()));
        first.replica().stepDown();
        bench.pass(200);
        bench.files.noted = new HighWater(bench.files.noted.version(), bench.files.noted.nextTable() + 100);

        first.replica().lead();
        bench.pass(2_000);

        assertThat(allocate(first).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(allocate(first).message()).contains("table id 101", "table id 1");
    }

    @Test
    void theDfsOfAnotherClusterIsNotTouched() {
        bench.files.belongTo(OTHER);
        Master master = leader();
        bench.pass(3_000);
        assertThat(bench.log.state().rows().isEmpty()).isTrue();
        assertThat(master.loop().readiness().missing()).contains(OTHER, SharedLog.CLUSTER, "set dfs");
    }

    @Test
    void aDfsWithoutAnIdentityIsNotTouched() {
        bench.files.belongTo(null);
        Master master = leader();
        bench.pass(3_000);
        assertThat(bench.log.state().rows().isEmpty()).isTrue();
        assertThat(master.loop().readiness().missing()).contains(SharedLog.CLUSTER, "does not say");
    }

    @Test
    void aLeaderGoesOnWhenTheDfsIsRightAgain() {
        bench.files.belongTo(OTHER);
        Master master = leader();
        bench.files.belongTo(SharedLog.CLUSTER);
        bench.pass(3_000);
        assertThat(bench.log.state().rows().isEmpty()).isFalse();
        assertThat(allocate(master).isOk()).isTrue();
    }

    @Test
    void whatWasMadeAfterTheListingAccusesNobody() {
        Master first = bench.leader("m1");
        FakeServer server = bench.server("s1", first);
        bench.beDiligent();
        bench.pass(1_000);
        first.replica().stepDown();
        bench.pass(200);
        bench.files.beforeList(() -> {
            bench.open(server, bench.row());
            Row row = bench.row();
            bench.files.put(
                    "ranges/" + Row.idText(row.id()) + "/" + row.epoch() + "-" + server.incarnation() + "-log-4");
        });

        first.replica().lead();
        bench.pass(2_000);

        assertThat(allocate(first).isOk()).isTrue();
    }

    private Master named() {
        Master master = bench.leader("m1");
        bench.pass(2_000);
        assertThat(bench.log.state().dfs()).isEqualTo(FakeFiles.DFS);
        return master;
    }

    private void leadsAgain(Master master) {
        master.replica().stepDown();
        bench.pass(200);
        master.replica().lead();
        bench.pass(5_000);
    }

    @Test
    void aLeaderOnAnotherDfsChangesNothingAndNamesBoth() {
        Master master = named();
        bench.files.dfs = DfsIdentity.of(OTHER);

        leadsAgain(master);

        assertThat(allocate(master).message())
                .contains("this master uses DFS " + OTHER, "in DFS " + FakeFiles.DFS, "correct setting dfs");
        assertThat(halts(master)).hasSize(1);
        assertThat(bench.log.state().dfs()).isEqualTo(FakeFiles.DFS);
    }

    @Test
    void aLeaderOnACopyGoesOnThereAndItsServersRegisterAnew() {
        Master master = named();
        FakeServer server = bench.server("s1", master);
        bench.pass(1_000);
        bench.files.dfs = DfsIdentity.ofCopy(OTHER, DfsIdentity.of(FakeFiles.DFS));

        leadsAgain(master);

        assertThat(bench.log.state().dfs()).isEqualTo(OTHER);
        assertThat(bench.log.state().isLive(server.incarnation())).isFalse();
        assertThat(allocate(master).isOk()).isTrue();
        assertThat(refused(master, FakeFiles.DFS)).contains(FakeFiles.DFS, OTHER);
        assertThat(refused(master, OTHER)).isEmpty();
    }

    private String refused(Master master, String dfs) {
        MasterAnswer answer = bench.register(master, "s2", dfs, FeatureLevels.SUPPORTED, bench.time.ticks());
        assertThat(answer.code()).isIn(ErrorCode.OK, ErrorCode.INVALID);
        return answer.isOk() ? "" : answer.message();
    }

    @Test
    void aLeaderOnAnOutdatedCopyChangesNothing() {
        Master master = named();
        FakeServer server = bench.server("s1", master);
        bench.pass(1_000);
        bench.open(server, bench.row());
        bench.files.dfs = DfsIdentity.ofCopy(OTHER, DfsIdentity.of(FakeFiles.DFS));

        leadsAgain(master);

        assertThat(allocate(master).message()).contains("lacks " + bench.row().manifest(), "went on in DFS");
        assertThat(bench.log.state().dfs()).isEqualTo(FakeFiles.DFS);
        bench.files.put(String.valueOf(bench.row().manifest()));
        bench.pass(3_000);
        assertThat(bench.log.state().dfs()).isEqualTo(OTHER);
    }

    /** As a cluster is that is older than this rule, when it has filled its DFS. */
    @Test
    void aLeaderOnAFullDfsWithoutAnIdLeadsAndNamesItOnceThereIsSpace() {
        bench.files.dfs = null;
        Master master = leader();
        bench.pass(3_000);
        assertThat(allocate(master).isOk()).isTrue();
        assertThat(bench.log.state().dfs()).isEmpty();
        FakeServer server = bench.server("s1", master);
        server.use("");
        bench.pass(1_000);
        assertThat(server.told()).isEqualTo(ErrorCode.OK);

        bench.files.dfs = DfsIdentity.of(OTHER);
        bench.pass(8_000);

        assertThat(bench.log.state().dfs()).isEqualTo(OTHER);
        assertThat(refused(master, FakeFiles.DFS)).contains(FakeFiles.DFS, OTHER);
    }

    @Test
    void aLeaderOnAnotherDfsHandsOverToOneThatMayBeRight() {
        Master master = named();
        Master other = bench.master("m2");
        bench.files.dfs = DfsIdentity.of(OTHER);
        master.replica().stepDown();
        bench.pass(200);
        master.replica().lead();
        bench.pass(1_000);
        assertThat(master.replica().leaderTerm()).isNotZero();

        bench.pass(5_000);

        assertThat(master.replica().leaderTerm()).isZero();
        assertThat(other.replica().leaderTerm()).isNotZero();
    }

    @Test
    void twoWrongMastersDoNotHandOverToEachOtherAlone() {
        Master master = named();
        List<Master> all = List.of(master, bench.master("m2"), bench.master("m3"));
        bench.files.dfs = DfsIdentity.of(OTHER); // Of all, so that each of them hands over.
        master.replica().stepDown();
        bench.pass(200);
        master.replica().lead();
        Set<Master> led = new HashSet<>();
        for (int second = 0; second < 40; second++) {
            bench.pass(1_000);
            all.stream().filter(each -> each.replica().leaderTerm() != 0).forEach(led::add);
        }
        assertThat(led).hasSize(3);
    }

    /** A list may take long on a DFS of millions of names. */
    @Test
    void aListThatTakesLongNamesTheDfsAllTheSame() {
        bench.files.dfs = null;
        Master master = leader();
        bench.pass(3_000);
        assertThat(allocate(master).isOk()).isTrue();
        bench.files.holdLists();
        bench.files.dfs = DfsIdentity.of(OTHER);
        bench.pass(20_000);
        assertThat(bench.files.listsHeld()).as("under way").isEqualTo(1);
        bench.files.releaseLists();
        bench.pass(1_000);
        assertThat(bench.log.state().dfs()).isEqualTo(OTHER);
    }

    @Test
    void aSweepOnAnotherDfsDeletesNothing() {
        Master master = named();
        bench.files.put("ranges/1.0/1-s1.1-log-1");
        bench.files.dfs = DfsIdentity.of(OTHER);
        bench.pass(MasterTiming.DEFAULT.sweepNanos() / 1_000_000 + 10_000);
        assertThat(bench.files.paths()).contains("ranges/1.0/1-s1.1-log-1");
        assertThat(allocate(master).message()).contains(OTHER, FakeFiles.DFS);
    }

    @Test
    void aServerOnAnotherDfsIsRefusedWithItsHeartbeats() {
        Master master = named();
        FakeServer server = bench.server("s1", master);
        bench.pass(1_000);
        assertThat(server.told()).isEqualTo(ErrorCode.OK);
        server.use(OTHER);
        server.beat();
        bench.time.runReady();
        assertThat(server.told()).isEqualTo(ErrorCode.INVALID);
        assertThat(server.message()).contains("server s1 uses DFS " + OTHER, "in DFS " + FakeFiles.DFS);
        assertThat(server.isClosed()).isTrue();
    }

    /** A leader whose map is not the newest; the others must find their newest folders as they were. */
    private Master leaderOfThePast() {
        bench.master("m2");
        bench.joins.blank("rpc-m9:1");
        return leader("ranges/7.0/7-s1.3-log-1");
    }

    private MasterAnswer change(Master master, ChangeMastersRequest.Builder request) {
        var answer = master.loop().operator().changeMasters(request.build());
        bench.time.runReady();
        assertThat(answer).isDone();
        return answer.join();
    }

    @Test
    void aLeaderOfThePastTellsNobodyToJoinForThatMayEmptyAFolder() {
        MasterAnswer answer = change(
                leaderOfThePast(),
                ChangeMastersRequest.newBuilder()
                        .setIn(GroupMember.newBuilder()
                                .setId("m9")
                                .setRaft("raft-m9:1")
                                .setRpc("rpc-m9:1")));

        assertThat(answer.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(answer.message()).contains("the leader changes nothing", "ranges/7.0/7-s1.3-log-1");
        assertThat(bench.joins.requests).isEmpty();
        assertThat(bench.log.reconfigurations).isEmpty();
    }

    @Test
    void aLeaderOfThePastRemovesNobodyAndKeepsItsOffice() {
        Master master = leaderOfThePast();

        assertThat(change(master, ChangeMastersRequest.newBuilder().setOut("m2"))
                        .code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(change(master, ChangeMastersRequest.newBuilder().setOut("m1"))
                        .code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(bench.log.reconfigurations).isEmpty();
        assertThat(master.replica().leaderTerm()).isNotZero();
    }

    @Test
    void aLeaderOfThePastTellsNobodyThatItWasRemoved() {
        Master master = leaderOfThePast();

        var reply = master.loop().operator().members(SharedLog.CLUSTER);
        bench.time.runReady();

        assertThat(reply.join().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(reply.join().getMembersList()).isEmpty();
    }
}
