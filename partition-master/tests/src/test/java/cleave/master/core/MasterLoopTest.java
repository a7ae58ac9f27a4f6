package cleave.master.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench.Master;
import cleave.master.state.AnswerCodec;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.model.DfsIdentity;
import cleave.model.Key;
import cleave.model.MapChange;
import cleave.model.Row;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.Figure;
import cleave.wire.HandoffProgress;
import cleave.wire.HandoffState;
import cleave.wire.HandoffsReply;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.Setting;
import cleave.wire.SettingMeaning;
import cleave.wire.SettingsReply;
import cleave.wire.SplitCandidate;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.StepTime;
import cleave.wire.WhyNot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MasterLoopTest {
    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");

    @Test
    void theStatusOfManyRangesComesInPiecesOfOneVersion() {
        MasterState large = LargeMap.state(10_000);
        bench.log.restore(large);
        Bench.StatusReader slow = new Bench.StatusReader();
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
        Bench.StatusReader slow = new Bench.StatusReader();
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
        Bench.StatusReader asking = new Bench.StatusReader();
        StatusRequest request =
                StatusRequest.newBuilder().setServer("server-17").build();
        master.loop().status(request, asking);
        bench.time.runReady();
        assertThat(asking.whole().getMap().getRowsList())
                .hasSize(10)
                .allMatch(row -> row.getOwner().getServer().equals("server-17"));
    }

    private List<FakeServer> twoServersWithRanges() {
        FakeServer first = bench.server("s1", master);
        FakeServer second = bench.server("s2", master);
        bench.beDiligent();
        bench.pass(2_000);
        bench.obey(first);
        bench.pass(400);
        bench.splitAt(5, "b", "c");
        first.measure((row, load) -> load.setEntitiesPerSecond(100)
                .setBytes(1 << 20)
                .setWritten(60)
                .addCandidates(SplitCandidate.newBuilder()
                        .setAt(Key.beforePartition(5, "bb").toWire())
                        .setLeft(3)
                        .setRight(7)));
        bench.pass(3_000);
        return List.of(first, second);
    }

    private static StatusRequest.Builder all() {
        return StatusRequest.newBuilder().setLoads(true).setWhy(true);
    }

    @Test
    void whatIsAskedForIsToldOfTheRangesThatAreAskedFor() {
        twoServersWithRanges();
        List<Row> rows = List.copyOf(bench.log.state().rows().all());
        long asked = rows.get(1).id();

        StatusReply whole = bench.status(master, all().build());
        StatusReply one = bench.status(
                master, all().addRanges(asked).addRanges(asked).addRanges(4711).build());
        StatusReply plain = bench.status(master);

        assertThat(whole.getStatesList()).hasSize(rows.size()).allSatisfy(state -> {
            assertThat(state.getLoad().getWritten()).isEqualTo(60);
            assertThat(state.getLoad().getCandidatesList()).hasSize(1);
            assertThat(state.getWhyNotList()).extracting(WhyNot::getOf).contains("split", "merge", "move");
        });
        assertThat(one.getStatesList()).extracting(RangeState::getRange).containsExactly(asked);
        assertThat(one.getMap().getRowsList()).extracting(RangeRow::getId).containsExactly(asked);
        assertThat(one.getStates(0))
                .isEqualTo(whole.getStatesList().stream()
                        .filter(state -> state.getRange() == asked)
                        .findFirst()
                        .orElseThrow());
        assertThat(plain.getStatesList()).noneMatch(RangeState::hasLoad).allMatch(state -> state.getWhyNotCount() == 0);
    }

    @Test
    void reasonsComeWithFiguresAndWithTheirEndByTheClockOfTheWall() {
        twoServersWithRanges();

        StatusReply whole = bench.status(master, all().build());

        List<WhyNot> reasons = whole.getStates(0).getWhyNotList();
        assertThat(reasons)
                .filteredOn(each -> each.getReason().equals("not-hot"))
                .singleElement()
                .satisfies(each -> assertThat(each.getFiguresList())
                        .contains(Figure.newBuilder()
                                .setName("entities-per-second")
                                .setValue(100)
                                .setUnit("entities/s")
                                .build()));
        assertThat(reasons)
                .filteredOn(each -> each.getReason().equals("after-start"))
                .singleElement()
                .satisfies(each -> assertThat(each.getUntilTicks() - bench.time.ticks())
                        .isBetween(100L * 10_000_000, 120L * 10_000_000));
    }

    @Test
    void serversAreToldAsAWholeHoweverTheirRangesChange() {
        List<FakeServer> servers = twoServersWithRanges();
        int ranges = bench.log.state().rows().size();

        StatusReply whole = bench.status(master);

        assertThat(whole.getTerm()).isEqualTo(master.replica().leaderTerm());
        assertThat(whole.getSeenList()).hasSize(2).anySatisfy(seen -> {
            assertThat(seen.getIncarnation())
                    .isEqualTo(servers.get(0).incarnation().toWire());
            assertThat(seen.getAdmin()).isEqualTo("admin-of-s1");
            assertThat(seen.getCpu()).isEqualTo(0.25);
            assertThat(seen.getRanges()).isEqualTo(ranges);
            assertThat(seen.getEntitiesPerSecond()).isEqualTo(100.0 * ranges);
            assertThat(seen.getStoreBytes()).isEqualTo((long) ranges << 20);
            assertThat(seen.getSilentMillis()).isBetween(0L, 400L);
        });
    }

    @Test
    void impossibleFiguresOfOneRangeSpoilNoSum() {
        FakeServer server = twoServersWithRanges().get(0);
        long odd = bench.row().id();
        server.measure((row, load) ->
                load.setEntitiesPerSecond(row.id() == odd ? Double.NaN : 100).setBytes(row.id() == odd ? -1 : 1_000));
        bench.pass(400);

        assertThat(bench.status(master).getSeenList())
                .filteredOn(seen -> seen.getRanges() > 0)
                .singleElement()
                .satisfies(seen -> {
                    assertThat(seen.getEntitiesPerSecond()).isEqualTo(100.0 * (seen.getRanges() - 1));
                    assertThat(seen.getStoreBytes()).isEqualTo(1_000L * (seen.getRanges() - 1));
                });
    }

    @Test
    void impossibleFiguresOfOneRangeDoNotSendAllRangesOfADeadServerToOneOther() {
        List<FakeServer> servers = twoServersWithRanges();
        FakeServer third = bench.server("s3", master);
        long odd = bench.row().id();
        servers.get(0)
                .measure((row, load) -> load.setEntitiesPerSecond(row.id() == odd ? Double.NaN : 100)
                        .setBytes(1 << 20));
        bench.pass(400);
        bench.silence(servers.get(0));
        bench.pass(2_000);

        assertThat(servers.get(1).orders()).isNotEmpty();
        assertThat(third.orders()).isNotEmpty();
    }

    @Test
    void aStatusWithoutProofCostsNoCommandAndIsStillTheLeadersAlone() {
        bench.pass(1_000);
        int commands = bench.log.commands().size();
        StatusRequest unproved = StatusRequest.newBuilder().setUnproved(true).build();

        StatusReply told = bench.status(master, unproved);

        assertThat(told.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(told.getMap()).isEqualTo(bench.status(master).getMap());
        assertThat(bench.log.commands()).hasSize(commands + 1); // Of the status that was proved.
        Master other = bench.master("m2");
        assertThat(bench.status(other, unproved).getStatus()).isEqualTo(AnswerCodec.status(ErrorCode.NOT_LEADER, "m1"));
        assertThat(bench.status(other, unproved).hasMap()).isFalse();
    }

    @Test
    void piecesWithLoadsStayFarBelowTheLimitOfAMessage() {
        bench.log.restore(LargeMap.state(10_000));
        Bench.StatusReader asking = new Bench.StatusReader();
        master.loop().status(all().build(), asking);
        bench.time.runReady();

        assertThat(asking.whole().getStatesCount()).isEqualTo(10_000);
        assertThat(asking.pieces).allMatch(piece -> piece.getStatesCount() < 200);
    }

    @Test
    void aHandoffTellsWhenItWasSeenAtEachStepAndItsEventsHoldNumbers() {
        List<FakeServer> servers = twoServersWithRanges();
        FakeServer owner = servers.get(0);
        long range = bench.row().id();
        bench.ranges.hold(true);
        master.loop()
                .operator()
                .move(AdminMoveRequest.newBuilder()
                        .setRange(range)
                        .setServer("s2")
                        .build());
        bench.pass(200);
        long handoff = handoffs().get(0).getHandoff();
        for (String step : List.of("prepare", "prepare", "catch up", "switch")) {
            owner.carryOut(HandoffProgress.newBuilder()
                    .setHandoff(handoff)
                    .setStep(step)
                    .build());
            bench.pass(400);
        }

        HandoffState state = handoffs().get(0);

        assertThat(state.getStepsList()).extracting(StepTime::getStep).containsExactly("prepare", "catch up", "switch");
        assertThat(state.getStepsList()).extracting(StepTime::getMillis).isSorted();
        assertThat(state.getSteps(0).getMillis()).isPositive();
    }

    private List<HandoffState> handoffs() {
        CompletableFuture<HandoffsReply> reply = master.loop().operator().handoffs();
        bench.time.runReady();
        return reply.join().getHandoffsList();
    }

    @Test
    void figuresOfEventsAreNumbersWithUnitsAndTextsForOldReaders() {
        FakeServer server = bench.server("s1", master);
        server.showClock(() -> bench.time.ticks() + 60L * 10_000_000);
        bench.pass(3_000);

        CompletableFuture<EventsReply> reply = master.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();

        assertThat(reply.join().getEventsList())
                .filteredOn(event -> event.getKind().equals("clock-off"))
                .first()
                .satisfies(event -> {
                    assertThat(event.getFigures(0).getName()).isEqualTo("ahead-seconds");
                    assertThat(event.getFigures(0).getValue()).isBetween(59.0, 61.0);
                    assertThat(event.getFigures(0).getUnit()).isEqualTo("s");
                    assertThat(event.getEvidence(1))
                            .isEqualTo(Setting.newBuilder()
                                    .setName("bound-seconds")
                                    .setValue("5.0")
                                    .build());
                });
    }

    @Test
    void eachSettingHasAValueAMeaningAndAStandard() {
        CompletableFuture<SettingsReply> reply = master.loop().operator().settings();
        bench.time.runReady();

        assertThat(reply.join().getMeaningsList())
                .allSatisfy(
                        each -> assertThat(each.getText()).as(each.getName()).endsWith("."))
                .extracting(SettingMeaning::getName)
                .isEqualTo(reply.join().getSettingsList().stream()
                        .map(Setting::getName)
                        .toList());
        assertThat(reply.join().getMeaningsList())
                .filteredOn(each -> each.getName().equals("balancer.split-load"))
                .extracting(SettingMeaning::getStandard)
                .containsExactly("2000");
    }

    @Test
    void twoMastersOnTheWrongDfsDoNotHandOverToEachOtherAlone() {
        bench.pass(2_000);
        List<Master> all = List.of(master, bench.master("m2"), bench.master("m3"));
        bench.files.dfs =
                DfsIdentity.of("99999999-2222-3333-4444-555555555555"); // Of all, so that each of them hands over.
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

    @Test
    void moreRequestsOfOperatorsThanMayBePendingAreBusy() {
        bench.server("s1", master);
        bench.ranges.fail(1_000_000, ErrorCode.UNAVAILABLE, false);
        List<CompletableFuture<MasterAnswer>> pending = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            pending.add(split(2 + i));
        }
        assertThat(split(2).join().code()).isEqualTo(ErrorCode.BUSY);
        assertThat(pending).noneMatch(CompletableFuture::isDone);
    }

    private CompletableFuture<MasterAnswer> split(long table) {
        CompletableFuture<MasterAnswer> answer = master.loop()
                .operator()
                .split(AdminSplitRequest.newBuilder()
                        .addKeys(Key.beforeTable(table).toWire())
                        .build());
        bench.time.runReady();
        return answer;
    }

    /** A server opens them in this order. */
    @Test
    void rangesAreOrderedHottestFirst() {
        FakeServer first = bench.server("a", master);
        bench.pass(1_000);
        bench.obey(first);
        bench.splitAt(1, "b", "d", "f", "h");
        bench.log.state().rows().all().forEach(first::serve);
        first.measure((row, load) -> load.setEntitiesPerSecond(100 + load(row)));
        bench.pass(1_000);
        FakeServer second = bench.server("b", master);
        bench.silence(first);
        bench.pass(3_000);

        assertThat(second.orders())
                .hasSize(5)
                .isSortedAccordingTo(Comparator.comparing(MasterLoopTest::load).reversed());
    }

    /** In another order than the ids. */
    private static double load(Row row) {
        return Long.remainderUnsigned(row.id() * 7, 31);
    }
}
