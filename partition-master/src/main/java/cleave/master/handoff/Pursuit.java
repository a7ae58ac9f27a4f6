package cleave.master.handoff;

import cleave.runtime.loop.Backoff;

/**
 * How persistently a goal is pursued. Immutable.
 *
 * @param deadline time on the loop's clock at which the goal is given up
 * @param atOnce maximum number of its handoffs under way at a time
 * @param betweenRounds the pause after consecutive rounds in which nothing was done
 * @param afterFailures how long a range rests after consecutive failures of its handoffs for this goal
 * @param kind of goal
 */
record Pursuit(long deadline, int atOnce, Backoff betweenRounds, Backoff afterFailures, Kind kind) {
    private static final long MILLI = 1_000_000;

    enum Kind {
        /** A caller waits for the answer: events are recorded when the goal is requested and when it is refused. */
        ASKED,
        /** Retried until the map shows the goal. */
        STANDING,
        /** Refused if it cannot begin at once: the balancer decides again. */
        ONCE
    }

    static final Pursuit ONCE = new Pursuit(Long.MAX_VALUE, 1, new Backoff(0, 0), new Backoff(0, 0), Kind.ONCE);
    static final Pursuit STANDING = new Pursuit(
            Long.MAX_VALUE,
            1,
            new Backoff(100 * MILLI, 100 * MILLI),
            new Backoff(200 * MILLI, 10_000 * MILLI),
            Kind.STANDING);

    static Pursuit until(long deadline) {
        return new Pursuit(deadline, 8, new Backoff(50 * MILLI, 1_000 * MILLI), new Backoff(0, 0), Kind.ASKED);
    }
}
