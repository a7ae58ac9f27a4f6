package cleave.board.sight;

import cleave.model.Row;
import cleave.wire.RangeLoad;
import cleave.wire.RangeState;
import cleave.wire.StatusReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The ranges of a status in key order, each with what is known of it. Immutable. */
final class Ranges {
    private final List<Range> all = new ArrayList<>();

    /** @param load all 0 but for the rate and the size, if the leader did not tell more */
    record Range(Row row, RangeState state, RangeLoad load) {
        long id() {
            return row.id();
        }
    }

    Ranges(StatusReply status) {
        Map<Long, RangeState> states = new HashMap<>(); // Asked, never iterated.
        status.getStatesList().forEach(state -> states.put(state.getRange(), state));
        for (var wire : status.getMap().getRowsList()) {
            RangeState state = states.getOrDefault(wire.getId(), RangeState.getDefaultInstance());
            all.add(new Range(Row.fromWire(wire), state, load(state)));
        }
        all.sort(Comparator.comparing(range -> range.row().range().start()));
    }

    private static RangeLoad load(RangeState state) {
        return state.hasLoad()
                ? state.getLoad()
                : RangeLoad.newBuilder()
                        .setEntitiesPerSecond(state.getEntitiesPerSecond())
                        .setBytes(state.getBytes())
                        .build();
    }

    List<Range> all() {
        return all;
    }

    /** Those with the most entities a second, idle ones left out. */
    List<Range> hottest(int max) {
        return all.stream()
                .filter(range -> range.load().getEntitiesPerSecond() >= 1)
                .sorted(Comparator.comparingDouble(
                                (Range range) -> -range.load().getEntitiesPerSecond())
                        .thenComparingLong(Range::id))
                .limit(max)
                .toList();
    }
}
