package cleave.chaos.fault;

import cleave.model.Ticks;
import cleave.wire.Event;
import java.time.Instant;

/** Converts the times of leaders' events, by their machine's clock, to those of clients in this process. Immutable. */
public final class LeaderClock {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final long nanosOfEpoch = System.nanoTime() - nanos(Instant.now());

    private static long nanos(Instant instant) {
        return instant.getEpochSecond() * NANOS_PER_SECOND + instant.getNano();
    }

    /** When an event was, as {@link System#nanoTime} tells it here. */
    public long nanosOf(Event event) {
        return nanos(Ticks.toInstant(event.getTicks())) + nanosOfEpoch;
    }
}
