package cleave.chaos.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the operations on one entity that a store doing one thing at a time could have taken: each operation
 * at a moment between its invocation and its answer, one of unknown outcome at any later moment or never. Confined to its
 * caller.
 *
 * <p>The search is that of Wing and Gong with Lowe's memory: depth first, and no (set of operations, state) is tried twice.
 * Operations with a known answer are tried before those without, for mostly these never matter.
 */
final class Linearization {
    private static final int CONFIGURATIONS_MAX = 3_000_000;

    private final String key;
    private final List<Operation> known = new ArrayList<>();
    private final List<Operation> unknown = new ArrayList<>();
    private final Set<Configuration> tried = new HashSet<>();
    private List<Integer> longest = List.of();
    private EntityState atLongest = EntityState.ABSENT;

    Linearization(String key, List<Operation> operations) {
        this.key = key;
        for (Operation operation : operations) {
            switch (operation.result().outcome()) {
                case NOT_EXECUTED -> {}
                case UNKNOWN -> {
                    if (operation.kind().isWrite()) {
                        unknown.add(operation);
                    }
                }
                default -> known.add(operation);
            }
        }
        known.sort(Comparator.comparingLong(Operation::invoked));
        unknown.sort(Comparator.comparingLong(Operation::invoked));
    }

    /** What was tried already: the operations done, and what they led to. */
    private record Configuration(BitSet done, EntityState state) {}

    /** A point of the search: what can come next, and what was chosen to come here. */
    private static final class Point {
        private final EntityState state;
        private final int arrivedBy;
        private final int[] candidates;
        private int next;

        private Point(EntityState state, int arrivedBy, int[] candidates) {
            this.state = state;
            this.arrivedBy = arrivedBy;
            this.candidates = candidates;
        }
    }

    Optional<Violation> violation() {
        Deque<Point> path = new ArrayDeque<>();
        BitSet done = new BitSet(known.size() + unknown.size());
        path.push(new Point(EntityState.ABSENT, -1, candidates(done)));
        while (!path.isEmpty()) {
            if (isComplete(done)) {
                return Optional.empty();
            }
            if (tried.size() > CONFIGURATIONS_MAX) {
                return Optional.of(new Violation(key, "undecided: the history is too tangled to be judged", List.of()));
            }
            Point here = path.element();
            Point deeper = deeper(here, done);
            if (deeper != null) {
                path.push(deeper);
            } else {
                remember(path);
                path.pop();
                if (here.arrivedBy >= 0) {
                    done.clear(here.arrivedBy);
                }
            }
        }
        return Optional.of(new Violation(key, "no order of these operations explains the answers", story()));
    }

    private boolean isComplete(BitSet done) {
        return done.nextClearBit(0) >= known.size();
    }

    /** The next point that was not tried; null if there is none from here. */
    private @Nullable Point deeper(Point here, BitSet done) {
        while (here.next < here.candidates.length) {
            int chosen = here.candidates[here.next++];
            EntityState state = here.state.step(operation(chosen));
            if (state == null) {
                continue;
            }
            done.set(chosen);
            if (tried.add(new Configuration((BitSet) done.clone(), state))) {
                return new Point(state, chosen, candidates(done));
            }
            done.clear(chosen);
        }
        return null;
    }

    private Operation operation(int index) {
        return index < known.size() ? known.get(index) : unknown.get(index - known.size());
    }

    /** What was invoked before anything that is still to come had its answer. */
    private int[] candidates(BitSet done) {
        List<Integer> candidates = new ArrayList<>();
        long firstAnswer = firstAnswer(done);
        for (int i = done.nextClearBit(0); i < known.size() && known.get(i).invoked() <= firstAnswer; i++) {
            if (!done.get(i)) {
                candidates.add(i);
            }
        }
        for (int i = 0; i < unknown.size() && unknown.get(i).invoked() <= firstAnswer; i++) {
            if (!done.get(known.size() + i)) {
                candidates.add(known.size() + i);
            }
        }
        return candidates.stream().mapToInt(Integer::intValue).toArray();
    }

    private long firstAnswer(BitSet done) {
        long first = Long.MAX_VALUE;
        for (int i = done.nextClearBit(0); i < known.size() && known.get(i).invoked() <= first; i++) {
            if (!done.get(i)) {
                first = Math.min(first, known.get(i).returned());
            }
        }
        return first;
    }

    /** A dead end: nothing can come next. The deepest one is what a violation tells of. */
    private void remember(Deque<Point> path) {
        if (path.size() - 1 > longest.size()) {
            List<Integer> order = new ArrayList<>();
            path.descendingIterator().forEachRemaining(point -> {
                if (point.arrivedBy >= 0) {
                    order.add(point.arrivedBy);
                }
            });
            longest = order;
            atLongest = path.element().state;
        }
    }

    private List<String> story() {
        List<String> story = new ArrayList<>();
        story.add("the longest order that fits:");
        longest.forEach(index -> story.add("  " + operation(index)));
        story.add("the entity is then: " + atLongest);
        story.add("and none of these can come next:");
        BitSet done = new BitSet();
        longest.forEach(done::set);
        for (int candidate : candidates(done)) {
            story.add("  " + operation(candidate));
        }
        return story;
    }
}
