package cleave.master.handoff;

import cleave.master.policy.Backoff;

/**
 * How persistently a goal is pursued. Immutable.
 *
 * @param deadline after which it is given up, on the loop's clock
 * @param atOnce the most of its handoffs that are under way at a time
 * @param betweenRounds the pause after rounds in a row in which nothing was done
 * @param afterFailures how long a range rests whose handoffs for this goal failed in a row
 * @param kind of goal
 */
record Pursuit(long deadline, int atOnce, Backoff betweenRounds, Backoff afterFailures, Kind kind) {
    private static final long MILLI = 1_000_000;

    enum Kind {
        /** Somebody waits for the answer: the goal is told of when it is asked for and when it is refused. */
        ASKED,
        /** Until the map shows the goal. */
        STANDING,
        /** What may not begin at once is refused: the balancer decides anew. */
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
