package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Plans the splits that make given keys bounds of ranges, and spreads the parts evenly over the live servers that take
 * ranges and do not drain. Stateless. A key that is already a bound needs no split.
 */
public final class SplitPlanner {
    /**
     * Maximum number of parts of one handoff; further keys wait for the next plan. A server prepares at most 64 targets
     * at a time, and takes part in two handoffs.
     */
    private static final int PARTS_MAX = 32;

    private SplitPlanner() {}

    /** Plans for every range that holds some of the keys inside; nothing while there is no server for the parts. */
    public static List<HandoffPlan> plan(MasterState state, SortedSet<Key> keys, Predicate<Incarnation> takesRanges) {
        TreeMap<Incarnation, Integer> counts = new TreeMap<>();
        state.servers().values().stream()
                .filter(server -> !server.draining())
                .map(Server::incarnation)
                .filter(takesRanges)
                .forEach(incarnation -> counts.put(
                        incarnation, state.rows().ownedBy(incarnation).size()));
        List<HandoffPlan> plans = new ArrayList<>();
        SortedMap<Key, List<Key>> byRange = inside(state, keys);
        byRange.forEach((start, at) -> {
            Row row = state.rows().at(start);
            if (row != null && !counts.isEmpty()) {
                plans.add(HandoffPlan.split(row, at, owners(row, at.size() + 1, counts)));
            }
        });
        return plans;
    }

    /** The keys that are not bounds yet, by the start of the range that holds them. */
    private static SortedMap<Key, List<Key>> inside(MasterState state, SortedSet<Key> keys) {
        TreeMap<Key, List<Key>> byRange = new TreeMap<>();
        for (Key key : keys) {
            Row row = state.rows().at(key);
            if (row != null && !row.range().start().equals(key)) {
                List<Key> at = byRange.computeIfAbsent(row.range().start(), start -> new ArrayList<>());
                if (at.size() < PARTS_MAX - 1) {
                    at.add(key);
                }
            }
        }
        return byRange;
    }

    private static List<Incarnation> owners(Row row, int parts, SortedMap<Incarnation, Integer> counts) {
        Incarnation parent = row.owner();
        if (parent != null) {
            counts.computeIfPresent(parent, (owner, count) -> count - 1);
        }
        List<Incarnation> owners = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            Incarnation least = least(counts, parent);
            counts.merge(least, 1, Integer::sum);
            owners.add(least);
        }
        return owners;
    }

    /** The server with the fewest ranges; among equals, the present owner of the range. */
    private static Incarnation least(SortedMap<Incarnation, Integer> counts, @Nullable Incarnation parent) {
        Incarnation least = counts.firstKey();
        for (Incarnation candidate : counts.keySet()) {
            int difference = counts.getOrDefault(candidate, 0) - counts.getOrDefault(least, 0);
            if (difference < 0 || (difference == 0 && candidate.equals(parent))) {
                least = candidate;
            }
        }
        return least;
    }
}
