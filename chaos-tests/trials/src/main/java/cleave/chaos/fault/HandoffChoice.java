package cleave.chaos.fault;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Chooses random splits, merges and moves that keep the number of ranges within two limits. Immutable.
 *
 * @param bounds where ranges may be split, ascending
 * @param rangesMin merges stop at this number
 * @param rangesMax splits stop at this number
 */
record HandoffChoice(List<Key> bounds, List<String> servers, int rangesMin, int rangesMax) {
    private static final List<HandoffUse> USES = List.of(HandoffUse.values());

    HandoffChoice {
        bounds = List.copyOf(bounds);
        servers = List.copyOf(servers);
    }

    /**
     * @param rows of the map, in key order
     * @param busy intervals to leave alone
     * @return null if there is nothing to choose from
     */
    @Nullable
    ForcedHandoff next(List<Row> rows, List<KeyRange> busy, Random random) {
        List<ForcedHandoff> some = switch (use(rows.size(), random)) {
            case SPLIT -> splits(rows);
            case MERGE -> merges(rows);
            case MOVE -> moves(rows);
        };
        List<ForcedHandoff> free = some.stream()
                .filter(handoff -> busy.stream().noneMatch(handoff.interval()::overlaps))
                .toList();
        return free.isEmpty() ? null : free.get(random.nextInt(free.size()));
    }

    private HandoffUse use(int ranges, Random random) {
        HandoffUse use = USES.get(random.nextInt(USES.size()));
        return switch (use) {
            case SPLIT -> ranges >= rangesMax ? HandoffUse.MERGE : use;
            case MERGE -> ranges <= rangesMin ? HandoffUse.SPLIT : use;
            case MOVE -> use;
        };
    }

    private List<ForcedHandoff> splits(List<Row> rows) {
        List<ForcedHandoff> handoffs = new ArrayList<>();
        for (Row row : rows) {
            for (Key bound : bounds) {
                if (row.range().contains(bound) && !row.range().start().equals(bound)) {
                    handoffs.add(ForcedHandoff.split(row, bound));
                }
            }
        }
        return handoffs;
    }

    private static List<ForcedHandoff> merges(List<Row> rows) {
        List<ForcedHandoff> handoffs = new ArrayList<>();
        for (int i = 1; i < rows.size(); i++) {
            handoffs.add(ForcedHandoff.merge(rows.get(i - 1), rows.get(i)));
        }
        return handoffs;
    }

    private List<ForcedHandoff> moves(List<Row> rows) {
        List<ForcedHandoff> handoffs = new ArrayList<>();
        for (Row row : rows) {
            for (String server : servers) {
                if (row.owner() != null && !row.owner().server().equals(server)) {
                    handoffs.add(ForcedHandoff.move(row, server));
                }
            }
        }
        return handoffs;
    }
}
