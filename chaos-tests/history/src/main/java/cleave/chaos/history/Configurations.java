package cleave.chaos.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lowe's memoization: the configurations that a search has visited. Confined to its search.
 *
 * <p>States of entities get numbers, and a configuration is stored as a 64-bit hash only. A collision could make a
 * correct history look wrong, but never a wrong one look correct.
 */
final class Configurations {
    private final Map<EntityState, Integer> numbers = new HashMap<>();
    private final List<EntityState> states = new ArrayList<>();
    private final Set<Long> points = new HashSet<>();

    int number(EntityState state) {
        Integer known = numbers.putIfAbsent(state, states.size());
        if (known != null) {
            return known;
        }
        states.add(state);
        return states.size() - 1;
    }

    EntityState state(int number) {
        return states.get(number);
    }

    int size() {
        return points.size();
    }

    /** False if it was visited before. */
    boolean add(long done, int[] entities) {
        long hash = done;
        for (int i = 0; i < entities.length; i++) {
            hash ^= mixed(((long) (i + 1) << 32) | (entities[i] + 1L));
        }
        return points.add(hash);
    }

    /** Mixes the bits of a number. */
    static long mixed(long number) {
        long mixed = number * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
