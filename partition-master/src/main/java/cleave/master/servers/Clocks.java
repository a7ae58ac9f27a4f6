package cleave.master.servers;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.ClockJudge;
import cleave.master.policy.ClockReading;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares the clocks of servers with the leader's by their heartbeats, detects wrong ones, and supplies the time for
 * heartbeat replies. Confined to the master loop, except for {@link #ticks} and {@link #ahead(long)}.
 *
 * <p>Servers' clocks are recorded relative to this process's monotonic clock. So when its wall clock jumps, all others
 * seem to jump the other way at once, and it is recognised as the wrong one before its time is sent to any server.
 *
 * <p>While too few servers are heard, what was found before stands, but it is not held against servers that come: the leader's
 * clock may have been set right meanwhile, and nobody is there to show it.
 */
public final class Clocks {
    private static final long NANOS_PER_TICK = 100;

    private final EventLoop loop;
    private final String self;
    private final long boundTicks;
    private final Events events;
    private final MasterMetrics metrics;
    private final ClockJudge judge;
    private final TreeMap<Incarnation, ClockReading> readings = new TreeMap<>();
    private ClockJudge.Findings findings = ClockJudge.Findings.ALL_RIGHT;
    /** The last state that an event has reported. */
    private ClockJudge.Findings announced = ClockJudge.Findings.ALL_RIGHT;

    private long judgedOffset;
    private volatile long leaderAhead;
    /** Too few servers are heard to tell whose clock is wrong. */
    private volatile boolean undecided = true;

    /** @param boundTicks maximum difference between clocks */
    public Clocks(EventLoop loop, String self, long boundTicks, Events events, MasterMetrics metrics) {
        this.loop = loop;
        this.self = self;
        this.boundTicks = boundTicks;
        this.events = events;
        this.metrics = metrics;
        this.judge = new ClockJudge(boundTicks);
    }

    public void heard(Incarnation incarnation, HeartbeatRequest heartbeat) {
        loop.assertInside();
        if (heartbeat.getClockTicks() != 0) {
            long now = loop.nanos();
            long shown = Math.max(Ticks.MIN, Math.min(Ticks.MAX, heartbeat.getClockTicks()));
            long offset = shown - now / NANOS_PER_TICK;
            ClockReading reading = readings.get(incarnation);
            if (reading == null) {
                readings.put(incarnation, new ClockReading(offset, now));
            } else {
                reading.heard(offset, now);
            }
        }
    }

    public void tick(MasterState state) {
        loop.assertInside();
        readings.keySet().removeIf(incarnation -> !state.isLive(incarnation));
        undecided = !mostAreHeard(state);
        if (undecided) {
            return;
        }
        judge();
        ClockJudge.Findings before = announced;
        announced = findings;
        findings.off().stream()
                .filter(server -> !before.off().contains(server))
                .forEach(server -> announce(EventKind.CLOCK_OFF, server, "it gets no more ranges"));
        before.off().stream()
                .filter(server -> !findings.off().contains(server) && readings.containsKey(server))
                .forEach(server -> announce(EventKind.CLOCK_RIGHT, server, "it may get ranges"));
        if ((findings.leaderAhead() != 0) != (before.leaderAhead() != 0)) {
            boolean off = findings.leaderAhead() != 0;
            announce(
                    off ? EventKind.CLOCK_OFF : EventKind.CLOCK_RIGHT,
                    self,
                    findings.leaderAhead(),
                    difference(findings.leaderAhead(), "most servers'")
                            + (off ? ": it is the leader's clock that is wrong" : ""));
        }
        metrics.clockSkewSeconds.set(seconds(findings.leaderAhead()));
        metrics.serversClockOff.set(findings.off().size());
    }

    private void announce(EventKind kind, Incarnation server, String so) {
        announce(kind, server.toString(), ahead(server), difference(server) + ": " + so);
    }

    private void announce(EventKind kind, String whose, long ahead, String is) {
        events.add(
                kind,
                Event.newBuilder()
                        .setReason("the clock of " + whose + " is " + is)
                        .addServers(whose)
                        .addFigures(Events.figure("ahead-seconds", seconds(ahead), "s"))
                        .addFigures(Events.figure("bound-seconds", seconds(boundTicks), "s")));
    }

    /** {@code 3600.0 s ahead of the leader's}. */
    public String difference(Incarnation server) {
        loop.assertInside();
        return difference(ahead(server), "the leader's");
    }

    private static String difference(long ahead, String than) {
        String side = ahead < 0 ? "behind" : "ahead of";
        return String.format(Locale.ROOT, "%.1f s %s %s", seconds(Math.abs(ahead)), side, than);
    }

    /** Before that, the leader's clock could just as well be the wrong one. */
    private boolean mostAreHeard(MasterState state) {
        return readings.size() * 2 > state.servers().size();
    }

    private void judge() {
        long wall = wallOffset();
        TreeMap<Incarnation, Long> ofLeader = new TreeMap<>();
        readings.forEach((incarnation, reading) -> ofLeader.put(incarnation, reading.offset() - wall));
        findings = judge.judge(ofLeader);
        judgedOffset = wall;
        leaderAhead = findings.leaderAhead();
    }

    /** How far the wall clock is ahead of the monotonic one, in ticks. */
    private long wallOffset() {
        return loop.ticks() - loop.nanos() / NANOS_PER_TICK;
    }

    /** The clock for the reply to this heartbeat; null if this leader does not know most servers' clocks yet. */
    @Nullable
    public LeaderClock clockFor(MasterState state, Incarnation incarnation, long askedNanos) {
        loop.assertInside();
        if (!mostAreHeard(state)) {
            return null;
        }
        if (Math.abs(wallOffset() - judgedOffset) > boundTicks / 10) {
            judge();
        }
        return LeaderClock.newBuilder()
                .setTicks(ticks())
                .setSkewTicks(boundTicks)
                .setAskedNanos(askedNanos)
                .setAheadTicks(ahead(incarnation))
                .setOff(isOff(incarnation))
                .build();
    }

    private long ahead(Incarnation incarnation) {
        Long ahead = findings.aheads().get(incarnation);
        return ahead == null ? 0 : ahead;
    }

    public boolean isOff(Incarnation incarnation) {
        loop.assertInside();
        return findings.off().contains(incarnation);
    }

    /** How far each server's clock is ahead, in ticks. */
    public SortedMap<Incarnation, Long> aheads() {
        loop.assertInside();
        return findings.aheads();
    }

    /** How far the leader's clock is ahead of most servers' clocks, which agree, in ticks; 0 if it is correct. */
    public long leaderAhead() {
        return leaderAhead;
    }

    /** The time by this master's clock, corrected if most servers' clocks show that it is wrong. Thread-safe. */
    public long ticks() {
        return loop.ticks() - leaderAhead;
    }

    /**
     * How far a clock that shows this is ahead, in ticks. While too few servers are heard, the smaller difference counts: from the time
     * as last corrected, or from this master's own clock. Thread-safe.
     */
    public long ahead(long shown) {
        long corrected = shown - ticks();
        long own = shown - loop.ticks();
        return undecided && Math.abs(own) < Math.abs(corrected) ? own : corrected;
    }

    /** This master no longer leads. */
    public void clear() {
        loop.assertInside();
        readings.clear();
        judge.begin();
        findings = ClockJudge.Findings.ALL_RIGHT;
        announced = findings;
        leaderAhead = 0;
        undecided = true;
        metrics.clockSkewSeconds.set(0);
        metrics.serversClockOff.set(0);
    }

    private static double seconds(long ticks) {
        return ticks / (double) Ticks.PER_SECOND;
    }
}
