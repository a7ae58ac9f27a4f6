package cleave.chaos.history;

import java.util.List;

/**
 * The result of checking a history. Immutable.
 *
 * @param undecided names of entities or partitions whose history is too tangled to be judged whole: neither right nor wrong
 */
public record HistoryVerdict(List<Violation> violations, List<String> undecided) {
    public HistoryVerdict {
        violations = List.copyOf(violations);
        undecided = List.copyOf(undecided);
    }

    public boolean isRight() {
        return violations.isEmpty() && undecided.isEmpty();
    }
}
