package cleave.frontend.tracing;

import cleave.route.CallTrace.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * A part of a request's time at the front end. Immutable. Times are of the loop's monotonic clock.
 *
 * @param parent the place of the span that it is part of among those of its trace; {@link #ROOT} if that is the whole request
 * @param attempt the attempt of a call to a server that it is; null if it is none
 */
public record Span(
        String name,
        int parent,
        long fromNanos,
        long untilNanos,
        @Nullable Attempt attempt) {
    public static final int ROOT = -1;
}
