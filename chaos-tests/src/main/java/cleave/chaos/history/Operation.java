package cleave.chaos.history;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * One operation of one client on one entity, and what came of it. Immutable.
 *
 * @param key of the entity; operations on different keys are judged apart
 * @param properties to write; empty for a delete and a get
 * @param ifMatch the ETag that the entity must have; empty for no condition
 * @param invoked when the client began, on the clock that all clients of the history share
 * @param returned when it had the answer, or gave up
 */
public record Operation(
        int client,
        String key,
        OperationKind kind,
        Map<String, String> properties,
        String ifMatch,
        long invoked,
        long returned,
        Result result) {
    public Operation {
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
        if (returned < invoked) {
            throw new IllegalArgumentException("an operation returned at " + returned + " before " + invoked);
        }
    }

    /** When it had certainly taken effect, if it ever did. */
    long effectiveUntil() {
        return result.outcome() == Outcome.UNKNOWN ? Long.MAX_VALUE : returned;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "[%,d .. %,d] client %d: %s %s%s%s -> %s",
                invoked,
                returned,
                client,
                kind,
                key,
                properties.isEmpty() ? "" : " " + properties,
                ifMatch.isEmpty() ? "" : " if " + ifMatch,
                result);
    }
}
