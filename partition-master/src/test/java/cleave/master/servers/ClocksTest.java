package cleave.master.servers;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeFiles;
import cleave.master.loop.FakeServer;
import cleave.master.state.MasterAnswer;
import cleave.model.FeatureLevels;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.LeaderClock;
import cleave.wire.ServerClock;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Servers whose clocks are wrong, and leaders. */
class ClocksTest {
    private static final long HOUR = 3_600 * Ticks.PER_SECOND;

    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");
    /** Of servers whose clocks are wrong. */
    private final TreeMap<String, Long> aheads = new TreeMap<>();

    private FakeServer server(String id) {
        FakeServer server = bench.server(id, master);
        server.showClock(() -> bench.time.ticks() + aheads.getOrDefault(id, 0L));
        return server;
    }

    /** The leader's clock jumps, the servers' do not. */
    private void jump(long ticks) {
        bench.time.jumpTicks(ticks);
        bench.servers().forEach(each -> aheads.merge(each.incarnation().server(), -ticks, Long::sum));
    }

    private static LeaderClock clock(FakeServer server) {
        LeaderClock clock = server.clock();
        assertThat(clock).isNotNull();
        return clock == null ? LeaderClock.getDefaultInstance() : clock;
    }

    private List<String> events(String kind) {
        var reply = master.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();
        return reply.join().getEventsList().stream()
                .filter(event -> event.getKind().equals(kind))
                .map(Event::getReason)
                .toList();
    }

    @Test
    void everyReplyTellsTheLeadersClockAndTheHeartbeatThatItCameAfter() {
        FakeServer server = server("s1");
        bench.pass(400);
        LeaderClock clock = clock(server);
        assertThat(clock.getTicks()).isEqualTo(bench.time.ticks());
        assertThat(clock.getSkewTicks()).isEqualTo(Bench.SKEW_NANOS / 100);
        assertThat(clock.getAskedNanos()).isEqualTo(server.sentNanos());
        assertThat(clock.getAheadTicks()).isZero();
        assertThat(clock.getOff()).isFalse();
    }

    @Test
    void aLeaderThatHasNotHeardMostClocksTellsNoTime() {
        FakeServer first = server("s1");
        FakeServer silent = server("s2");
        bench.silence(silent);
        bench.pass(400);
        assertThat(first.clock()).isNull();
        bench.speak(silent);
        bench.pass(400);
        assertThat(first.clock()).isNotNull();
    }

    @Test
    void aNewLeaderWhoseClockIsWrongBlamesNobodyBeforeItHasHeardMost() {
        List<FakeServer> servers = List.of(server("s1"), server("s2"), server("s3"));
        jump(-HOUR);
        bench.silence(servers.get(1));
        bench.silence(servers.get(2));
        bench.pass(600);
        assertThat(events("clock-off")).isEmpty();
        assertThat(servers.get(0).clock()).isNull();
        bench.speak(servers.get(1));
        bench.pass(400);
        assertThat(events("clock-off")).hasSize(1).first().asString().contains("the leader's clock");
        assertThat(clock(servers.get(0)).getOff()).isFalse();
    }

    @Test
    void aClockThatShowsNonsenseIsOff() {
        FakeServer server = server("s1");
        server("s2");
        server.showClock(() -> Long.MIN_VALUE);
        bench.pass(1_000);
        assertThat(clock(server).getOff()).isTrue();
        server.showClock(() -> Long.MAX_VALUE);
        bench.pass(3_000);
        assertThat(clock(server).getOff()).isTrue();
        assertThat(clock(server).getAheadTicks()).isPositive();
    }

    @Test
    void anOperatorIsToldWhyARangeDoesNotMoveToAServerWhoseClockIsOff() {
        bench.beDiligent();
        FakeServer owner = server("s1");
        bench.pass(300);
        bench.obey(owner);
        server("s2");
        aheads.put("s2", -HOUR);
        bench.pass(1_000);
        var moved = master.loop()
                .operator()
                .move(AdminMoveRequest.newBuilder()
                        .setRange(bench.row().id())
                        .setServer("s2")
                        .build());
        bench.pass(61_000);
        assertThat(moved).isDone();
        assertThat(moved.join().message()).contains("s behind the leader's: it gets no ranges");
    }

    @Test
    void anOperatorsSplitGivesNoPartToAServerWhoseClockIsOff() {
        bench.beDiligent();
        FakeServer owner = server("s1");
        bench.pass(300);
        bench.obey(owner);
        server("s2");
        aheads.put("s2", -HOUR);
        bench.pass(1_000);
        var split = master.loop()
                .operator()
                .split(AdminSplitRequest.newBuilder()
                        .addKeys(Key.beforeTable(2).toWire())
                        .build());
        bench.pass(61_000);
        assertThat(split).isDone();
        assertThat(split.join().code()).as(split.join().message()).isEqualTo(ErrorCode.OK);
        assertThat(bench.log.state().rows().all())
                .hasSize(2)
                .extracting(Row::owner)
                .containsOnly(owner.incarnation());
    }

    @Test
    void aServerThatTellsNoClockIsOfAnOlderVersionAndNotPutAside() {
        bench.beDiligent();
        FakeServer older = bench.server("s1", master);
        bench.pass(2_000);
        assertThat(older.clock()).isNull();
        assertThat(older.orders()).isNotEmpty();
        assertThat(events("clock-off")).isEmpty();
    }

    @Test
    void aServerWhoseClockIsOffIsToldAndPutAsideUntilItIsRightAgain() {
        FakeServer server = server("s1");
        FakeServer other = server("s2");
        aheads.put("s1", HOUR);
        bench.pass(1_000);
        assertThat(clock(server).getOff()).isTrue();
        assertThat(clock(server).getAheadTicks()).isEqualTo(HOUR);
        assertThat(clock(other).getOff()).isFalse();
        assertThat(server.orders()).isEmpty();
        assertThat(other.orders()).containsExactly(bench.row());
        assertThat(bench.status(master).getClocksList())
                .filteredOn(ServerClock::getOff)
                .extracting(each -> each.getIncarnation().getServer())
                .containsExactly("s1");
        bench.pass(2_000);
        assertThat(events("clock-off"))
                .as("once")
                .containsExactly("the clock of " + server.incarnation()
                        + " is 3600.0 s ahead of the leader's: it gets no more ranges");
        assertThat(events("clock-right")).isEmpty();
        aheads.clear();
        bench.pass(3_000);
        assertThat(clock(server).getOff()).isFalse();
        assertThat(events("clock-right")).hasSize(1);
        bench.silence(other);
        other.breakStream();
        bench.pass(2_000);
        assertThat(server.orders()).containsExactly(bench.row());
    }

    @Test
    void aServerWhoseClockIsOffIsBetterThanNone() {
        FakeServer server = server("s1");
        aheads.put("s1", -HOUR);
        bench.pass(2_000);
        assertThat(clock(server).getOff()).isTrue();
        assertThat(server.orders()).containsExactly(bench.row());
    }

    @Test
    void aLeaderWhoseClockIsWrongSaysSoTellsTheRightTimeAndPutsNobodyAside() {
        List<FakeServer> servers = List.of(server("s1"), server("s2"), server("s3"));
        bench.pass(600);
        long right = bench.time.ticks();
        jump(-HOUR);
        servers.get(0).beat();
        bench.time.runReady();
        assertThat(clock(servers.get(0)).getTicks()).as("at once").isEqualTo(right);
        bench.pass(1_000);
        assertThat(servers).allSatisfy(server -> {
            assertThat(clock(server).getOff()).isFalse();
            assertThat(clock(server).getTicks()).isEqualTo(bench.time.ticks() + HOUR);
        });
        assertThat(events("clock-off"))
                .containsExactly(
                        "the clock of m1 is 3600.0 s behind most servers': it is the leader's clock that is wrong");
        assertThat(bench.status(master).getLeaderAheadTicks()).isEqualTo(-HOUR);
        assertThat(master.loop().readiness().ready()).isTrue();
        assertThat(master.loop().readiness().missing()).contains("3600 s behind those of most servers");
        jump(HOUR);
        bench.pass(2_000);
        assertThat(events("clock-right")).hasSize(1);
        assertThat(master.loop().readiness().missing()).isEmpty();
    }

    @Test
    void aServerIsLetInByTheTimeThatMostClocksAgreeOn() {
        server("s1");
        server("s2");
        bench.pass(600);
        jump(-HOUR);
        bench.pass(1_000);
        assertThat(register(bench.time.ticks() + HOUR)).isEqualTo(ErrorCode.OK);
        assertThat(register(bench.time.ticks())).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void serversAreLetInAfterAllWereGoneWhetherTheLeadersClockWasSetRightMeanwhileOrNot() {
        List<FakeServer> servers = List.of(server("s1"), server("s2"));
        bench.pass(600);
        jump(-HOUR);
        bench.pass(1_000);
        servers.forEach(each -> {
            bench.silence(each);
            each.breakStream();
        });
        bench.pass(10_000);
        assertThat(bench.log.state().servers()).isEmpty();
        assertThat(register(bench.time.ticks() + HOUR)).as("still wrong").isEqualTo(ErrorCode.OK);
        assertThat(register(bench.time.ticks() + 2 * HOUR)).isEqualTo(ErrorCode.INVALID);

        jump(HOUR);

        assertThat(register(bench.time.ticks())).as("right again").isEqualTo(ErrorCode.OK);
        assertThat(register(bench.time.ticks() - HOUR)).isEqualTo(ErrorCode.INVALID);
    }

    private ErrorCode register(long clockTicks) {
        MasterAnswer answer = bench.register(master, "s9", FakeFiles.DFS, FeatureLevels.SUPPORTED, clockTicks);
        return answer.code();
    }
}
