package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Row;
import cleave.model.Ticks;
import cleave.server.range.TimestampLimit;
import cleave.wire.HandoffOutcome;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.WriteKind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server whose clock is wrong, or that of its masters' leader. */
class TimestampLimitTest {
    private static final long SECOND = Ticks.PER_SECOND;
    private static final long HOUR = 3_600 * SECOND;
    private static final long SKEW = 2 * SECOND;

    private final Cluster cluster = new Cluster();
    private Node server;
    /** The leader's clock less the servers'. */
    private long leaderOffset;

    @BeforeEach
    void start() {
        server = cluster.start("s1");
    }

    private void leaderTells() {
        cluster.masters.clock = this::clock;
        cluster.settle();
    }

    private LeaderClock clock(HeartbeatRequest heartbeat) {
        return LeaderClock.newBuilder()
                .setTicks(cluster.loop.ticks() + leaderOffset)
                .setSkewTicks(SKEW)
                .setAskedNanos(heartbeat.getSentNanos())
                .setAheadTicks(-leaderOffset)
                .setOff(Math.abs(leaderOffset) > SKEW)
                .build();
    }

    /** The wall clocks of all servers jump, that of the leader does not. */
    private void jump(long ticks) {
        cluster.loop.jumpTicks(ticks);
        leaderOffset -= ticks;
    }

    private long put(Node at) {
        return at.write(WriteKind.INSERT_OR_REPLACE, Node.key("a"), "1").getTimestamps(0);
    }

    private long leadersTime() {
        return cluster.loop.ticks() + leaderOffset;
    }

    @Test
    void heartbeatsTellTheServersClock() {
        leaderTells();
        HeartbeatRequest[] heard = new HeartbeatRequest[1];
        cluster.masters.clock = heartbeat -> {
            heard[0] = heartbeat;
            return clock(heartbeat);
        };
        cluster.loop.advanceMillis(250);
        assertThat(cluster.loop.ticks() - heard[0].getClockTicks()).isBetween(0L, SECOND / 4);
        assertThat(cluster.loop.nanos() - heard[0].getSentNanos()).isBetween(0L, 250_000_000L);
    }

    @Test
    void aClockThatIsRightGivesTimestampsOfItsOwn() {
        leaderTells();
        assertThat(put(server)).isEqualTo(cluster.loop.ticks());
        jump(SKEW / 2);
        assertThat(put(server)).isEqualTo(cluster.loop.ticks());
        jump(-HOUR);
        cluster.loop.advanceMillis(2_000);
        assertThat(put(server)).as("still above the last one").isGreaterThan(cluster.loop.ticks());
    }

    @Test
    void aClockThatJumpsAheadIsHeldAtTheLeadersClockAndTheBound() {
        leaderTells();
        jump(HOUR);
        long at = put(server);
        assertThat(at).isBetween(leadersTime() + SKEW, leadersTime() + SKEW + SECOND / 4);
        cluster.settle();
        long later = put(server);
        assertThat(later).isBetween(leadersTime() + SKEW, leadersTime() + SKEW + SECOND / 4);
        assertThat(put(server)).as("in the same instant").isEqualTo(later + 1);
        assertThat(server.metrics.timestampsAheadSeconds.get()).isZero();
    }

    @Test
    void withTheMastersAwayTheLimitGoesOnWithTheMonotonicClock() {
        leaderTells();
        cluster.cutOff.add("s1");
        jump(HOUR);
        cluster.loop.advanceMillis(600_000);
        assertThat(put(server)).isBetween(leadersTime() + SKEW, leadersTime() + SKEW + SECOND / 4);
    }

    @Test
    void anAnswerThatTookLongSaysNothingAboutTheTime() {
        leaderTells();
        cluster.masters.clock = heartbeat -> clock(heartbeat).toBuilder()
                .setTicks(leadersTime() + HOUR)
                .setAskedNanos(heartbeat.getSentNanos() - 3_100_000_000L)
                .build();
        jump(HOUR);
        cluster.settle();
        assertThat(put(server)).isLessThan(leadersTime() + SKEW + SECOND);
    }

    @Test
    void aServerThatNeverHeardALeadersClockGoesOnFromTheOneItRegisteredWith() {
        cluster.settle();
        assertThat(put(server)).isEqualTo(cluster.loop.ticks());
        long right = cluster.loop.ticks();
        jump(HOUR);
        assertThat(put(server)).isEqualTo(right + TimestampLimit.UNTOLD_SKEW_TICKS);
        cluster.loop.advanceMillis(60_000);
        assertThat(put(server)).isEqualTo(leadersTime() + TimestampLimit.UNTOLD_SKEW_TICKS);
    }

    @Test
    void aRangeWithTimestampsFromTheFutureGoesOnFromThemByATickEach() {
        jump(HOUR);
        leaderOffset = 0; // Nobody noticed.
        leaderTells();
        long future = put(server);
        Node second = cluster.start("s2");
        jump(-HOUR);
        leaderOffset = 0; // All is right again.
        Row row = cluster.masters.onlyRow();
        Answer<HandoffOutcome> move = cluster.split("s1", row, List.of(), "s2");
        cluster.settle();
        assertThat(move.get().getStatus().getCode()).isEqualTo(cleave.wire.ErrorCode.OK);
        assertThat(put(second)).isEqualTo(future + 1);
        assertThat(put(second)).isEqualTo(future + 2);
        cluster.settle();
        assertThat(second.metrics.timestampsAheadSeconds.get()).isBetween(3_590.0, 3_600.0);
        cluster.loop.advanceMillis(3_600_000);
        assertThat(put(second)).isEqualTo(cluster.loop.ticks());
        assertThat(second.metrics.timestampsAheadSeconds.get()).isZero();
    }

    @Test
    void aServerThatTheLeaderPutsAsideSaysWhichClockIsOffByHowMuch() {
        leaderTells();
        assertThat(server.membership.readiness().ready()).isTrue();
        jump(HOUR);
        cluster.settle();
        assertThat(server.membership.readiness().missing())
                .contains("the clock of this server is 3600.0 s ahead of that of the masters' leader");
        assertThat(server.metrics.clockSkewSeconds.get()).isEqualTo(3_600);
        jump(-2 * HOUR);
        cluster.settle();
        assertThat(server.membership.readiness().missing()).contains("3600.0 s behind that of the masters' leader");
        cluster.masters.clock = null; // The next leader has not heard most clocks yet.
        cluster.settle();
        assertThat(server.membership.readiness().ready()).isTrue();
        leaderTells();
        assertThat(server.membership.readiness().ready()).isFalse();
        jump(HOUR);
        cluster.settle();
        assertThat(server.membership.readiness().ready()).isTrue();
    }
}
