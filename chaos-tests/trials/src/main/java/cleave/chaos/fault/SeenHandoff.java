package cleave.chaos.fault;

import cleave.model.HandoffNumber;
import cleave.model.KeyRange;

/**
 * A planned handoff according to the leader's events. Immutable.
 *
 * @param begun on the clients' clock
 * @param ended likewise; {@link #NEVER} until an event reports it
 * @param done if the map shows its targets
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

    static SeenHandoff begun(long number, HandoffUse use, KeyRange interval, long begun) {
        return new SeenHandoff(number, use, interval, begun, NEVER, false, "", 0, 0);
    }

    SeenHandoff done(long at, long prepare, long switching) {
        return new SeenHandoff(number, use, interval, begun, at, true, "", prepare, switching);
    }

    SeenHandoff givenUp(long at, String why) {
        return new SeenHandoff(number, use, interval, begun, at, false, why, 0, 0);
    }

    /** True if the owner of its sources reported the duration of its switch. */
    boolean isMeasured() {
        return done && switchMicros > 0;
    }

    @Override
    public String toString() {
        return "handoff " + HandoffNumber.text(number) + " (" + use + " of " + interval + ")";
    }
}
