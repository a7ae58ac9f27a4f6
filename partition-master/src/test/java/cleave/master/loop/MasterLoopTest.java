package cleave.master.loop;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench.Master;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.MapChange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.RangeState;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MasterLoopTest {
    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");

    @Test
    void theLeaderMakesTheFirstRow() {
        assertThat(bench.row().range()).isEqualTo(KeyRange.ALL);
        assertThat(bench.row().owner()).isNull();
    }

    @Test
    void aFollowerMakesNothing() {
        Bench other = new Bench();
        other.master("m1");
        other.time.advanceMillis(5_000);
        assertThat(other.log.commands()).isEmpty();
    }

    @Test
    void theFirstServerIsAskedToTakeTheFirstRowOverUntilItHas() {
        FakeServer server = bench.server("s1", master);
        bench.pass(300);
        assertThat(server.orders()).containsExactly(bench.row());
        bench.pass(300);
        assertThat(server.orders()).containsExactly(bench.row());
        bench.obey(server);
        bench.pass(300);
        assertThat(server.orders()).isEmpty();
        assertThat(server.told()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void aServerIsAskedForItsOwnRowsUntilItServesThem() {
        FakeServer server = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.log.apply(Script.split(bench.row(), List.of(5L), List.of(server.incarnation(), other.incarnation())));
        Row given = bench.log.state().rows().at(cleave.model.Key.beforeTable(5));
        bench.pass(300);
        assertThat(other.orders()).containsExactly(given);
        bench.obey(other);
        bench.pass(300);
        assertThat(other.orders()).isEmpty();
    }

    @Test
    void whoeverIsGivenARangeHearsOfItAtOnce() {
        FakeServer server = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(300);
        master.loop()
                .execute(Script.split(bench.row(), List.of(5L), List.of(server.incarnation(), other.incarnation())));
        bench.time.runReady();
        assertThat(other.orders()).hasSize(1);
    }

    @Test
    void aKilledServersRangeIsOrderedElsewhereInLittleMoreThanTheGrace() {
        FakeServer killed = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(500);
        bench.silence(killed);
        killed.breakStream();
        bench.pass(200);
        assertThat(bench.log.state().isLive(killed.incarnation())).isTrue();
        bench.time.advanceMillis(210);
        assertThat(bench.log.state().isLive(killed.incarnation())).isFalse();
        assertThat(other.orders()).containsExactly(bench.row());
        bench.obey(other);
        bench.pass(200);
        assertThat(bench.row().owner()).isEqualTo(other.incarnation());
        assertThat(other.orders()).isEmpty();
    }

    @Test
    void aServerThatFallsSilentIsDeclaredDeadAfterASecond() {
        FakeServer paused = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(500);
        bench.silence(paused);
        bench.pass(900);
        assertThat(bench.log.state().isLive(paused.incarnation())).isTrue();
        bench.pass(400);
        assertThat(bench.log.state().isLive(paused.incarnation())).isFalse();
        assertThat(other.orders()).containsExactly(bench.row());
        paused.beat();
        bench.time.runReady();
        assertThat(paused.told()).isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(paused.isClosed()).isTrue();
    }

    @Test
    void aServerWhoseProcessHasEndedIsDeclaredDeadAtOnce() {
        FakeServer killed = owner("s1");
        FakeServer second = bench.server("s2", master);
        FakeServer third = bench.server("s3", master);
        bench.pass(500);
        bench.ranges.refuseAt("address-of-s1");
        bench.silence(killed);
        killed.breakStream();
        bench.time.runReady();
        assertThat(bench.log.state().isLive(killed.incarnation())).isFalse();
        assertThat(Stream.of(second, third).map(FakeServer::orders)).contains(List.of(bench.row()));
    }

    @Test
    void aServerThatEndsSlowlyIsAskedAgain() {
        FakeServer killed = owner("s1");
        bench.server("s2", master);
        bench.server("s3", master);
        bench.pass(500);
        bench.silence(killed);
        killed.breakStream();
        bench.pass(20);
        assertThat(bench.log.state().isLive(killed.incarnation())).isTrue();
        bench.ranges.refuseAt("address-of-s1");
        bench.pass(60);
        assertThat(bench.log.state().isLive(killed.incarnation())).isFalse();
    }

    @Test
    void serversThatEndTogetherAreNotDeclaredDeadBeforeAProof() {
        FakeServer first = owner("s1");
        FakeServer second = bench.server("s2", master);
        bench.server("s3", master);
        bench.pass(500);
        for (FakeServer each : List.of(first, second)) {
            bench.silence(each);
            each.breakStream();
        }
        bench.ranges.refuseAt("address-of-s1");
        bench.pass(200);
        bench.ranges.refuseAt("address-of-s2");
        bench.pass(200);
        assertThat(bench.log.state().servers()).hasSize(3);
        bench.pass(1_200);
        assertThat(bench.log.state().servers()).containsOnlyKeys("s3");
    }

    @Test
    void aServerThatIsHeardAgainIsNotAskedFor() {
        FakeServer server = owner("s1");
        bench.server("s2", master);
        bench.server("s3", master);
        bench.pass(500);
        server.breakStream();
        bench.time.runReady();
        server.beat();
        bench.ranges.refuseAt("address-of-s1");
        bench.pass(1_000);
        assertThat(bench.log.state().isLive(server.incarnation())).isTrue();
    }

    @Test
    void aRestartedServersRangesAreTakenOverAtOnce() {
        FakeServer before = owner("s1");
        bench.silence(before);
        FakeServer after = bench.server("s1", master);
        after.beat();
        bench.time.advanceMillis(100);
        assertThat(after.orders()).containsExactly(bench.row());
    }

    @Test
    void aTakeoverIsTimedFromTheSightOfTheOrphanToItsCommit() {
        FakeServer dead = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(500);
        double before = bench.metric("cleave_master_takeover_seconds_count");
        bench.log.apply(new DeclareDead(List.of(dead.incarnation())));
        bench.silence(dead);
        bench.pass(3_000);

        master.loop()
                .execute(new Handoff(
                        other.incarnation(),
                        List.of(new SourceRow(bench.row().id(), bench.row().version(), false)),
                        List.of(new TargetRow(bench.row().range(), other.incarnation(), "m/taken"))));
        bench.time.runReady();

        assertThat(bench.metric("cleave_master_takeover_seconds_count")).isEqualTo(before + 1);
        assertThat(bench.metric("cleave_master_takeover_seconds_bucket", "le", "2.0"))
                .isEqualTo(before);
        assertThat(bench.metric("cleave_master_takeover_seconds_bucket", "le", "5.0"))
                .isEqualTo(before + 1);
    }

    @Test
    void aTakerThatDoesNotCommitIsReplaced() {
        FakeServer dead = owner("s1");
        bench.server("s2", master);
        bench.server("s3", master);
        bench.pass(400);
        bench.log.apply(new DeclareDead(List.of(dead.incarnation())));
        bench.silence(dead);
        bench.pass(400);
        Incarnation first = asked();
        bench.pass(5_400);
        assertThat(asked()).isNotEqualTo(first);
        assertThat(status().getTrouble()).contains("did not commit").contains(first.toString());
    }

    /** After the death of the range's owner, who is asked to take it over, and who could be. */
    private record Takers(FakeServer asked, FakeServer other) {}

    private Takers takers() {
        FakeServer dead = owner("s1");
        FakeServer second = bench.server("s2", master);
        FakeServer third = bench.server("s3", master);
        bench.pass(400);
        bench.log.apply(new DeclareDead(List.of(dead.incarnation())));
        bench.silence(dead);
        bench.pass(400);
        return second.orders().isEmpty() ? new Takers(third, second) : new Takers(second, third);
    }

    @Test
    void aTakerThatMakesProgressIsLeftToItUntilItStops() {
        Takers takers = takers();
        FakeServer taker = takers.asked();
        FakeServer other = takers.other();
        other.makeProgress(true);
        taker.makeProgress(true);
        bench.pass(20_000);
        assertThat(taker.orders()).hasSize(1);
        assertThat(status().getTrouble()).isEmpty();

        taker.breakStream();
        bench.pass(100);
        assertThat(status().getTrouble())
                .as("its stream is broken for a moment")
                .isEmpty();
        taker.connect(master.loop());
        bench.pass(300);
        assertThat(taker.orders()).hasSize(1);

        taker.makeProgress(false);
        bench.pass(4_600);
        assertThat(taker.orders()).hasSize(1);
        bench.pass(800);
        assertThat(taker.orders()).isEmpty();
        assertThat(other.orders()).hasSize(1);
    }

    @Test
    void aTakerThatMakesProgressForeverIsReplacedAfterAll() {
        FakeServer dead = owner("s1");
        bench.server("s2", master).makeProgress(true);
        bench.server("s3", master).makeProgress(true);
        bench.pass(400);
        bench.log.apply(new DeclareDead(List.of(dead.incarnation())));
        bench.silence(dead);
        bench.pass(400);
        Incarnation first = asked();
        bench.pass(79_000);
        assertThat(asked()).isEqualTo(first);
        bench.pass(1_400);
        assertThat(asked()).isNotEqualTo(first);
    }

    @Test
    void aTakerThatReportsAFailureIsReplacedAfterAPause() {
        Takers takers = takers();
        FakeServer taker = takers.asked();
        FakeServer other = takers.other();
        taker.complain(bench.row(), "no disk");
        bench.pass(100);
        assertThat(taker.orders()).isEmpty();
        assertThat(other.orders()).isEmpty();
        assertThat(status().getTrouble()).contains("no disk");
        bench.pass(400);
        assertThat(other.orders()).containsExactly(bench.row());
        bench.obey(other);
        bench.pass(300);
        assertThat(status().getTrouble()).isEmpty();
        assertThat(status().getState()).isEqualTo("serving");
    }

    @Test
    void aRangeThatFailsEverywhereIsTriedEverMoreSlowly() {
        FakeServer server = bench.server("s1", master);
        bench.pass(300);
        int tries = 0;
        for (int i = 0; i < 600; i++) {
            if (!server.orders().isEmpty()) {
                tries++;
                server.complain(bench.row(), "broken manifest");
            }
            bench.pass(100);
        }
        assertThat(tries).isBetween(6, 12);
    }

    @Test
    void aRangeWhoseStoreFailsAgainAtItsLivingOwnerIsGivenToAnother() {
        FakeServer owner = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(300);
        Row before = bench.row();
        owner.complainOfStore(before, "no space left on device");
        bench.pass(100);
        assertThat(bench.row().owner()).as("once may be chance").isEqualTo(owner.incarnation());
        bench.pass(400);
        owner.complainOfStore(before, "no space left on device");
        bench.pass(100);
        assertThat(bench.row().owner()).isEqualTo(other.incarnation());
        assertThat(bench.row().manifest()).isEqualTo(before.manifest());
        assertThat(bench.row().epoch()).isGreaterThan(before.epoch());
        assertThat(other.orders()).containsExactly(bench.row());
        assertThat(owner.orders()).isEmpty();
    }

    @Test
    void aRangeWhoseStoreFailsOnAFullDiskIsGivenAwayAtOnceToOneWithSpace() {
        FakeServer owner = owner("s1");
        FakeServer full = bench.server("s2", master);
        FakeServer other = bench.server("s3", master);
        owner.isLow(true);
        full.isLow(true);
        bench.pass(300);
        owner.complainOfStore(bench.row(), "no space left on device");
        bench.pass(100);
        assertThat(bench.row().owner()).isEqualTo(other.incarnation());
    }

    @Test
    void aRangeWhoseStoreFailsStaysWhereItIsIfNobodyHasSpace() {
        FakeServer owner = owner("s1");
        FakeServer full = bench.server("s2", master);
        owner.isLow(true);
        full.isLow(true);
        bench.pass(300);
        for (int i = 0; i < 5; i++) {
            owner.complainOfStore(bench.row(), "no space left on device");
            bench.pass(1_000);
        }
        assertThat(bench.row().owner()).isEqualTo(owner.incarnation());
        assertThat(status().getTrouble()).contains("no space left on device");
    }

    @Test
    void aTakeoverThatFailsForWantOfSpaceIsTriedElsewhereAtOnceHoweverOftenItFailed() {
        FakeServer dead = owner("s1");
        List<FakeServer> others = List.of(bench.server("s2", master), bench.server("s3", master));
        bench.pass(400);
        bench.log.apply(new DeclareDead(List.of(dead.incarnation())));
        bench.silence(dead);
        for (int round = 0; round < 6; round++) {
            bench.pass(20_000);
            others.forEach(each -> {
                if (!each.orders().isEmpty()) {
                    each.complain(bench.row(), "it is slow");
                }
            });
        }
        FakeServer last = bench.server("s4", master);
        others.forEach(each -> each.isLow(true));
        bench.pass(40_000);
        FakeServer first = last.orders().isEmpty() ? others.get(0) : last;
        FakeServer next = bench.server("s5", master);
        bench.pass(400);
        first.complainOfStore(bench.row(), "no space left on device");
        bench.pass(1_000);
        assertThat(next.orders()).containsExactly(bench.row());
    }

    @Test
    void takeoversGoToServersWithSpace() {
        FakeServer dead = owner("s1");
        bench.log.apply(Script.split(bench.row(), List.of(1L, 2L, 3L), List.of(dead.incarnation())));
        bench.log.state().rows().all().forEach(dead::serve);
        FakeServer full = bench.server("s2", master);
        FakeServer other = bench.server("s3", master);
        full.isLow(true);
        bench.pass(500);
        bench.silence(dead);
        dead.breakStream();
        bench.pass(600);
        assertThat(full.orders()).isEmpty();
        assertThat(other.orders()).hasSize(4);
        other.breakStream();
        bench.silence(other);
        bench.pass(2_000);
        assertThat(full.orders()).as("better there than nowhere").isNotEmpty();
    }

    @Test
    void failureReportsOnWhatNobodyOrderedAreIgnored() {
        FakeServer server = owner("s1");
        FakeServer stranger = bench.server("s2", master);
        bench.pass(300);
        stranger.complain(bench.row(), "envy");
        bench.pass(100);
        assertThat(status().getTrouble()).isEmpty();
        assertThat(server.orders()).isEmpty();
    }

    @Test
    void aDeadServersRangesAreSpreadOverTheOthers() {
        FakeServer dead = owner("s1");
        bench.log.apply(Script.split(bench.row(), List.of(1L, 2L, 3L, 4L, 5L), List.of(dead.incarnation())));
        bench.log.state().rows().all().forEach(dead::serve);
        FakeServer second = bench.server("s2", master);
        FakeServer third = bench.server("s3", master);
        bench.pass(500);
        bench.silence(dead);
        dead.breakStream();
        bench.pass(600);
        assertThat(second.orders()).hasSize(3);
        assertThat(third.orders()).hasSize(3);
    }

    @Test
    void aNewLeaderSuspectsNobodyForWhatItDidNotHear() {
        FakeServer server = owner("s1");
        FakeServer other = bench.server("s2", master);
        Master next = bench.master("m2");
        bench.pass(500);
        bench.silence(server);
        bench.pass(800);
        next.replica().lead();
        other.connect(next.loop());
        bench.pass(900);
        assertThat(bench.log.state().isLive(server.incarnation())).isTrue();
        server.connect(next.loop());
        bench.speak(server);
        bench.pass(2_000);
        assertThat(bench.log.state().isLive(server.incarnation())).isTrue();
        assertThat(server.told()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void aNewLeaderWaitsForTheServersBeforeItGivesRangesAway() {
        Master next = bench.master("m2");
        FakeServer early = bench.server("s1", next);
        bench.server("s2", master);
        next.replica().lead();
        bench.pass(300);
        assertThat(early.orders()).isEmpty();
        bench.pass(400);
        assertThat(early.orders()).containsExactly(bench.row());
    }

    @Test
    void whenAllFallSilentTheLeaderProvesItselfAndWaits() {
        FakeServer first = owner("s1");
        FakeServer second = bench.server("s2", master);
        bench.pass(500);
        bench.silence(first);
        bench.silence(second);
        bench.time.advanceMillis(1_900);
        assertThat(bench.log.state().servers()).hasSize(2);
        bench.time.advanceMillis(500);
        assertThat(bench.log.state().servers()).isEmpty();
    }

    @Test
    void aLeaderThatIsCutOffDeclaresNobodyDead() {
        FakeServer server = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(500);
        master.replica().cutOff();
        Master next = bench.master("m2");
        next.replica().lead();
        server.connect(next.loop());
        other.connect(next.loop());
        bench.pass(3_000);
        master.replica().heal();
        bench.pass(1_000);
        assertThat(bench.log.commands()).doesNotHaveAnyElementsOfTypes(DeclareDead.class);
        assertThat(bench.log.state().servers()).hasSize(2);
    }

    @Test
    void whatADeposedLeaderDecidedDoesNotTakeEffect() {
        FakeServer server = owner("s1");
        FakeServer other = bench.server("s2", master);
        bench.pass(500);
        master.replica().cutOff();
        Row row = bench.row();
        Publish publish = new Publish(server.incarnation(), row.id(), row.version(), "m/late");
        var answer = master.loop().execute(publish);
        Master next = bench.master("m2");
        next.replica().lead();
        server.connect(next.loop());
        bench.pass(500);
        master.replica().heal();
        bench.pass(200);
        assertThat(answer.join().code()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(bench.row()).isEqualTo(row);
        assertThat(other.told()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(other.message()).isEqualTo("m2");
        assertThat(other.isClosed()).isTrue();
    }

    @Test
    void aServerThatALaggingMasterDoesNotKnowIsNotCalledDead() {
        master.replica().cutOff();
        MasterAnswer registered = bench.log.apply(new Register("s1", "address"));
        Incarnation unknown = registered.incarnation();
        assertThat(unknown).isNotNull();
        FakeServer server = new FakeServer(unknown == null ? new Incarnation("s1", 0) : unknown, master.loop());
        server.beat();
        bench.time.runReady();
        assertThat(server.told()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aFollowerNamesTheLeaderToServers() {
        Master follower = bench.master("m2");
        FakeServer server = bench.server("s1", follower);
        server.beat();
        bench.time.runReady();
        assertThat(server.told()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(server.message()).isEqualTo("m1");
        assertThat(server.isClosed()).isTrue();
    }

    @Test
    void aServerWithAForeignClockIsNotLetIn() {
        long ticks = bench.time.ticks();
        assertThat(bench.register(master, "s1", FakeFiles.DFS, FeatureLevels.SUPPORTED, ticks + 49_000_000)
                        .isOk())
                .isTrue();
        MasterAnswer refused = bench.register(master, "s2", FakeFiles.DFS, FeatureLevels.SUPPORTED, ticks - 51_000_000);
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(refused.message()).contains("5100 ms");
        assertThat(bench.register(master, "s3", FakeFiles.DFS, FeatureLevels.SUPPORTED, Long.MIN_VALUE)
                        .code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(bench.log.state().servers()).hasSize(1);
    }

    @Test
    void anIdleLeaderShowsThatItCanReplicate() {
        Master follower = bench.master("m2");
        bench.pass(2_000);
        long begun = proofs();
        bench.pass(10_000);
        assertThat(proofs() - begun).isBetween(8L, 12L);
        assertThat(master.loop().readiness().ready()).isTrue();
        assertThat(follower.loop().readiness().ready()).isTrue();
    }

    private long proofs() {
        return bench.log.commands().stream().filter(NoOp.class::isInstance).count();
    }

    @Test
    void aMasterWithoutQuorumIsNotReady() {
        Master follower = bench.master("m2");
        bench.pass(2_000);
        master.replica().cutOff();
        bench.pass(4_200);
        assertThat(master.loop().readiness().missing()).contains("nothing was replicated");
        assertThat(follower.loop().readiness().missing()).contains("nothing was replicated");
    }

    @Test
    void aMasterThatKnowsNoLeaderIsNotReady() {
        bench.pass(2_000);
        master.replica().stepDown();
        bench.pass(200);
        assertThat(master.loop().readiness().missing()).contains("no leader");
    }

    @Test
    void theStatusOfTheLeaderShowsTheMapAndWhatItHeard() {
        FakeServer server = owner("s1");
        bench.pass(300);
        StatusReply status = bench.status(master);
        assertThat(status.getLeader()).isEqualTo("m1");
        assertThat(status.getMap().getWhole()).isTrue();
        assertThat(status.getMap().getRowsList()).containsExactly(bench.row().toWire());
        assertThat(status.getMap().getServers(0).getIncarnation())
                .isEqualTo(server.incarnation().toWire());
        assertThat(status.getStates(0).getState()).isEqualTo("serving");
        assertThat(status.getStates(0).getEntitiesPerSecond()).isEqualTo(10);
        assertThat(status.getPeers(0).getRole()).isEqualTo("LEADER");
    }

    @Test
    void theStatusOfAFollowerNamesTheLeaderOnly() {
        Master follower = bench.master("m2");
        StatusReply status = bench.status(follower);
        assertThat(status.getStatus().getCode()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(status.getLeader()).isEqualTo("m1");
        assertThat(status.hasMap()).isFalse();
    }

    @Test
    void theStatusOfManyRangesComesInPiecesOfOneVersion() {
        MasterState large = LargeMap.state(10_000);
        bench.log.restore(large);
        Bench.Operator slow = new Bench.Operator();
        slow.takes = 2;
        StatusFeed feed = master.loop().status(StatusRequest.getDefaultInstance(), slow);
        bench.time.runReady();
        assertThat(slow.pieces).hasSize(2);
        bench.log.apply(new Register("another", "a:1"));
        slow.takes = Integer.MAX_VALUE;
        feed.ready();
        bench.time.runReady();
        assertThat(slow.ended).isTrue();
        assertThat(slow.pieces)
                .hasSizeGreaterThan(3)
                .allMatch(piece -> piece.getSerializedSize() < 2 * MapChange.PIECE_BYTES)
                .allMatch(piece -> piece.getMap().getVersion() == large.mapVersion());
        assertThat(slow.whole().getStatesCount()).isEqualTo(10_000);
        assertThat(slow.whole().getMap().getRowsCount()).isEqualTo(10_000);
    }

    @Test
    void aStatusWhoseMasterLeadsNoMoreIsNotEndedAsIfItWereWhole() {
        bench.log.restore(LargeMap.state(10_000));
        Bench.Operator slow = new Bench.Operator();
        slow.takes = 2;
        StatusFeed feed = master.loop().status(StatusRequest.getDefaultInstance(), slow);
        bench.time.runReady();
        master.replica().stepDown();
        slow.takes = Integer.MAX_VALUE;
        feed.ready();
        bench.time.runReady();
        assertThat(slow.ended).isFalse();
        assertThat(slow.failure).contains("no longer leads");
    }

    @Test
    void theStatusOfOneServerHoldsItsRangesOnly() {
        bench.log.restore(LargeMap.state(10_000));
        Bench.Operator asking = new Bench.Operator();
        StatusRequest request =
                StatusRequest.newBuilder().setServer("server-17").build();
        master.loop().status(request, asking);
        bench.time.runReady();
        assertThat(asking.whole().getMap().getRowsList())
                .hasSize(10)
                .allMatch(row -> row.getOwner().getServer().equals("server-17"));
    }

    @Test
    void aStoppedMasterDoesNothingMore() {
        FakeServer server = owner("s1");
        master.loop().stop();
        bench.pass(3_000);
        int commands = bench.log.commands().size();
        bench.pass(3_000);
        assertThat(bench.log.commands()).hasSize(commands);
        assertThat(server.told()).isEqualTo(ErrorCode.NOT_LEADER);
    }

    /** A server that has taken the first row over and serves it. */
    private FakeServer owner(String id) {
        FakeServer server = bench.server(id, master);
        bench.pass(700);
        bench.obey(server);
        bench.pass(200);
        assertThat(bench.row().owner()).isEqualTo(server.incarnation());
        return server;
    }

    /** Who is asked to take the only row over. */
    private Incarnation asked() {
        return bench.log.state().servers().values().stream()
                .map(server -> server.incarnation())
                .filter(incarnation -> lastOrders(incarnation))
                .findFirst()
                .orElseThrow();
    }

    private boolean lastOrders(Incarnation incarnation) {
        return bench.servers().stream()
                .anyMatch(server -> server.incarnation().equals(incarnation)
                        && !server.orders().isEmpty());
    }

    private RangeState status() {
        return bench.status(master).getStates(0);
    }
}
