package cleave.chaos.fault;

import cleave.model.HandoffNumber;
import cleave.model.KeyRange;

/**
 * A planned handoff according to the leader's events. Immutable.
 *
 * @param begun on the clients' clock
 * @param ended likewise; {@link #NEVER} until an event reports it
 * @param done if the map shows its targets
 * @param reason why not, if it was given up
 */
record SeenHandoff(
        long number,
        HandoffUse use,
        KeyRange interval,
        long begun,
        long ended,
        boolean done,
        String reason,
        long prepareMillis,
        long switchMicros) {
    static final long NEVER = Long.MAX_VALUE;

    /** True if the owner of its sources reported the duration of its switch. */
    boolean isMeasured() {
        return done && switchMicros > 0;
    }

    @Override
    public String toString() {
        return "handoff " + HandoffNumber.text(number) + " (" + use + " of " + interval + ")";
    }
}
