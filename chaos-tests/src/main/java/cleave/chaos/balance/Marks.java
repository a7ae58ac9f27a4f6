package cleave.chaos.balance;

import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Symbol;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events that pictures mark: committed handoffs, by their use, and verdicts. */
final class Marks {
    private static final Map<String, Symbol> SYMBOLS =
            Map.of("split", Symbol.UP, "merge", Symbol.DOWN, "move", Symbol.DOT);

    private Marks() {}

    /** Null if the event is not marked. */
    static @Nullable Mark of(LeaderEvent event, List<LeaderEvent> all) {
        if (event.is(LeaderEvent.VERDICT)) {
            return new Mark(event.seconds(), "verdict", Symbol.EXCLAMATION);
        }
        if (!event.is(LeaderEvent.ENDED)) {
            return null;
        }
        return all.stream()
                .filter(other -> other.is(LeaderEvent.BEGUN) && other.handoff() == event.handoff())
                .map(begun -> new Mark(event.seconds(), begun.use(), SYMBOLS.get(begun.use())))
                .findFirst()
                .orElse(null);
    }
}
