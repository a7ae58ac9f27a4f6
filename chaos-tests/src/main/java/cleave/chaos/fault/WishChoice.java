package cleave.chaos.fault;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Chooses splits, merges and moves at random, so that the number of ranges stays between two. Immutable.
 *
 * @param bounds where ranges may be split, ascending
 * @param rangesMin fewer are not merged
 * @param rangesMax more are not split
 */
record WishChoice(List<Key> bounds, List<String> servers, int rangesMin, int rangesMax) {
    private static final List<HandoffUse> USES = List.of(HandoffUse.values());

    WishChoice {
        bounds = List.copyOf(bounds);
        servers = List.copyOf(servers);
    }

    /**
     * @param rows of the map, in key order
     * @param busy what is not to be touched
     * @return null if there is nothing to choose from
     */
    @Nullable
    Wish next(List<Row> rows, List<KeyRange> busy, Random random) {
        List<Wish> some = switch (use(rows.size(), random)) {
            case SPLIT -> splits(rows);
            case MERGE -> merges(rows);
            case MOVE -> moves(rows);
        };
        List<Wish> free = some.stream()
                .filter(wish -> busy.stream().noneMatch(wish.interval()::overlaps))
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

    private List<Wish> splits(List<Row> rows) {
        List<Wish> wishes = new ArrayList<>();
        for (Row row : rows) {
            for (Key bound : bounds) {
                if (row.range().contains(bound) && !row.range().start().equals(bound)) {
                    wishes.add(Wish.split(row, bound));
                }
            }
        }
        return wishes;
    }

    private static List<Wish> merges(List<Row> rows) {
        List<Wish> wishes = new ArrayList<>();
        for (int i = 1; i < rows.size(); i++) {
            wishes.add(Wish.merge(rows.get(i - 1), rows.get(i)));
        }
        return wishes;
    }

    private List<Wish> moves(List<Row> rows) {
        List<Wish> wishes = new ArrayList<>();
        for (Row row : rows) {
            for (String server : servers) {
                if (row.owner() != null && !row.owner().server().equals(server)) {
                    wishes.add(Wish.move(row, server));
                }
            }
        }
        return wishes;
    }
}
