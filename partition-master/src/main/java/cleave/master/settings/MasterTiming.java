package cleave.master.settings;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.Map;

/**
 * How the master's loop measures time, and its bounds. Immutable.
 *
 * @param tickNanos how often the loop looks at the state
 * @param heartbeatNanos how often servers send heartbeats
 * @param suspectNanos silence after which a server is declared dead
 * @param graceNanos the same once its stream broke
 * @param settleNanos how long a new leader waits for all servers before it gives ranges to those that came
 * @param patienceNanos how long a server whose openings make no progress may take to open a range before another is asked; twice as long
 *     after each failure. With progress, it is 16 times this
 * @param proofNanos when nothing else was replicated for so long, the leader proves with a no-op that it can
 * @param readyNanos a master is ready while it applied something in this time
 * @param callNanos deadline of one call to a partition server
 * @param operatorNanos until when an operator's split, merge or move must be done
 * @param handoffNanos how long a handoff may prepare before it is given up
 * @param opensPerServer takeovers that a server has orders for at a time; how many it opens at once is up to it
 * @param balanceNanos how often the balancer looks at the loads
 * @param sweepNanos how often files that nothing reaches are deleted
 */
public record MasterTiming(
        long tickNanos,
        long heartbeatNanos,
        long suspectNanos,
        long graceNanos,
        long settleNanos,
        long patienceNanos,
        long proofNanos,
        long readyNanos,
        long callNanos,
        long operatorNanos,
        long handoffNanos,
        int opensPerServer,
        long balanceNanos,
        long sweepNanos) {
    private static final long DFS_SILENCE_NANOS_MIN = 10_000_000_000L;

    public static final MasterTiming DEFAULT = from(new Settings(Map.of()));

    public MasterTiming {
        need(tickNanos > 0, "master.tick must be above 0");
        need(suspectNanos >= 3 * heartbeatNanos, "master.suspect must be at least three times master.heartbeat");
        need(suspectNanos >= 3 * tickNanos, "master.suspect must be at least three times master.tick");
        need(graceNanos <= suspectNanos, "master.stream-grace must not exceed master.suspect");
        need(readyNanos >= 2 * proofNanos, "master.ready must be at least twice master.proof");
        need(
                patienceNanos > 0 && callNanos > 0 && operatorNanos > 0 && handoffNanos > 0,
                "master deadlines must be above 0");
        need(balanceNanos > 0 && sweepNanos > 0, "master.balance and master.sweep must be above 0");
    }

    static MasterTiming from(Settings settings) {
        return new MasterTiming(
                settings.nanos("master.tick", "100ms"),
                settings.nanos("master.heartbeat", "200ms"),
                settings.nanos("master.suspect", "1000ms"),
                settings.nanos("master.stream-grace", "300ms"),
                settings.nanos("master.settle", "500ms"),
                settings.nanos("master.open-patience", "5000ms"),
                settings.nanos("master.proof", "1000ms"),
                settings.nanos("master.ready", "4000ms"),
                settings.nanos("master.call-deadline", "2000ms"),
                settings.nanos("master.operator-deadline", "60000ms"),
                settings.nanos("master.handoff-deadline", "30000ms"),
                settings.count("master.opens-per-server", 64, 1, 1_000),
                settings.nanos("master.balance", "1000ms"),
                settings.nanos("master.sweep", "600000ms"));
    }

    /** A tick that comes so long after the one before shows that the leader itself did not run. */
    public long lateNanos() {
        return Math.max(suspectNanos / 2, 3 * tickNanos);
    }

    /**
     * Silence of the DFS after which a server is declared dead if others are answered; longer than a client takes to reach a DFS that is
     * there again.
     */
    public long dfsSilenceNanos() {
        return Math.max(10 * suspectNanos, DFS_SILENCE_NANOS_MIN);
    }

    private static void need(boolean claim, String message) {
        if (!claim) {
            throw new BadSetting(message);
        }
    }
}
