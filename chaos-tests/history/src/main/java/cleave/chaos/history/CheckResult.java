package cleave.chaos.history;

import java.util.List;

/**
 * The result of checking a history. Immutable.
 *
 * @param undecided names of entities or partitions whose history was too complex to decide
 */
public record CheckResult(List<Violation> violations, List<String> undecided) {
    public CheckResult {
        violations = List.copyOf(violations);
        undecided = List.copyOf(undecided);
    }

    public boolean isRight() {
        return violations.isEmpty() && undecided.isEmpty();
    }
}
