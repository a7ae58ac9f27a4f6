package cleave.chaos.history;

import java.util.Locale;

/**
 * The client and the times of an operation. Immutable.
 *
 * @param invoked when the client began, in nanoseconds on the clock that all clients of the history share
 * @param returned when it received the answer or gave up
 */
public record Call(int client, long invoked, long returned) {
    private static final double NANOS_PER_SECOND = 1e9;

    public Call {
        if (returned < invoked) {
            throw new IllegalArgumentException("a call returned at " + returned + " before " + invoked);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "[%.6f .. %.6f] client %d:",
                invoked / NANOS_PER_SECOND,
                returned / NANOS_PER_SECOND,
                client);
    }
}
