package cleave.chaos.history;

import cleave.chaos.history.Linearization.Linearizability;
import java.util.ArrayList;
import java.util.List;

/**
 * Minimizes a group that is not linearizable. Confined to its caller.
 *
 * <p>Each step only permits more orders, so the rest is wrong by itself. An unneeded read is removed; a write becomes
 * optional, so that it can still explain later answers.
 */
final class Reduction {
    private static final int CONFIGURATIONS_MAX = 20_000;
    private static final int SEARCHES_MAX = 400;

    private final Group group;
    private int searches;

    private Reduction(Group group) {
        this.group = group;
    }

    /** The moves that are needed for the violation, and the optional ones. */
    static List<Move> of(Group group) {
        Reduction reduction = new Reduction(group);
        return reduction.relaxed(reduction.earliest());
    }

    private boolean isUnexplained(List<Move> moves) {
        searches++;
        return searches <= SEARCHES_MAX
                && group.with(moves).search(CONFIGURATIONS_MAX).result() == Linearizability.NOT_LINEARIZABLE;
    }

    /** The moves up to the first answer with which no order exists. */
    private List<Move> earliest() {
        List<Move> best = group.moves();
        long[] answers = best.stream()
                .filter(Move::mustHappen)
                .mapToLong(Move::returned)
                .sorted()
                .distinct()
                .toArray();
        int low = 0;
        int high = answers.length - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            List<Move> moves = until(answers[middle]);
            if (isUnexplained(moves)) {
                best = moves;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return best;
    }

    /** The moves as known at a time. */
    private List<Move> until(long time) {
        List<Move> moves = new ArrayList<>();
        for (Move move : group.moves()) {
            if (move.returned() <= time) {
                moves.add(move);
            } else if (move.invoked() <= time && move.mayWrite()) {
                moves.add(move.asOpen());
            }
        }
        return moves;
    }

    private List<Move> relaxed(List<Move> moves) {
        List<Move> smaller = moves;
        for (int chunk = Math.max(1, moves.size() / 2); chunk > 0; chunk /= 2) {
            for (int from = 0; from < smaller.size(); ) {
                List<Move> without = without(smaller, from, Math.min(smaller.size(), from + chunk));
                if (!without.equals(smaller) && isUnexplained(without)) {
                    from += chunk - (smaller.size() - without.size());
                    smaller = without;
                } else {
                    from += chunk;
                }
            }
        }
        return smaller;
    }

    private static List<Move> without(List<Move> moves, int from, int to) {
        List<Move> without = new ArrayList<>(moves.subList(0, from));
        for (Move move : moves.subList(from, to)) {
            if (move.mayWrite()) {
                without.add(move.mustHappen() ? move.asOptional() : move);
            }
        }
        without.addAll(moves.subList(to, moves.size()));
        return without;
    }
}
