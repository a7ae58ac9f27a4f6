package cleave.chaos.balance;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The events that pictures mark: committed handoffs, by their use, and verdicts. */
enum Mark {
    SPLIT("M-5 4L0 -5L5 4Z"),
    MERGE("M-5 -4L0 5L5 -4Z"),
    MOVE("M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z"),
    VERDICT("M-1.5 -6H1.5V2H-1.5ZM-1.5 4H1.5V7H-1.5Z");

    /** A shape around the origin. */
    final String path;

    final String title = name().toLowerCase(Locale.ROOT);

    Mark(String path) {
        this.path = path;
    }

    /** Null if the event is not marked. */
    static @Nullable Mark of(LeaderEvent event, List<LeaderEvent> all) {
        if (event.is(LeaderEvent.VERDICT)) {
            return VERDICT;
        }
        if (!event.is(LeaderEvent.ENDED)) {
            return null;
        }
        return all.stream()
                .filter(other -> other.is(LeaderEvent.BEGUN) && other.handoff() == event.handoff())
                .map(begun -> valueOf(begun.use().toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElse(null);
    }
}
