package cleave.master.settings;

import cleave.runtime.settings.Settings.BadSetting;

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
 * @param opensPerServer takeovers that a server is asked for at once
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
    private static final long MILLI = 1_000_000;

    public static final MasterTiming DEFAULT = new MasterTiming(
            100 * MILLI,
            200 * MILLI,
            1_000 * MILLI,
            300 * MILLI,
            500 * MILLI,
            5_000 * MILLI,
            1_000 * MILLI,
            4_000 * MILLI,
            2_000 * MILLI,
            60_000 * MILLI,
            30_000 * MILLI,
            8,
            1_000 * MILLI,
            600_000 * MILLI);

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

    /** A tick that comes so long after the one before shows that the leader itself did not run. */
    public long lateNanos() {
        return Math.max(suspectNanos / 2, 3 * tickNanos);
    }

    private static void need(boolean claim, String message) {
        if (!claim) {
            throw new BadSetting(message);
        }
    }
}
