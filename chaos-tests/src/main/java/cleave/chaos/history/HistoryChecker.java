package cleave.chaos.history;

import cleave.chaos.history.Linearization.Verdict;
import cleave.chaos.history.Partition.Join;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks a history: answers that are never right, ETags that repeat (invariant I8), pages out of order (invariant I7), and
 * partitions whose answers no store doing one thing at a time could have given (invariants I2, I3, I4, I6). Pure.
 *
 * <p>A partition is judged at first as a whole, with all entities that a transaction or a page joins. If that finds no order, or
 * finds no end, it is taken apart, so as to tell of as few entities as are wrong by themselves: a transaction then counts as a
 * write of each of its entities, a page as a read of each.
 */
public final class HistoryChecker {
    /** What one search may try; a history without a violation takes about one for each operation. */
    private static final int CONFIGURATIONS_MAX = 100_000;

    private final List<Violation> violations = new ArrayList<>();
    private final List<String> undecided = new ArrayList<>();

    private HistoryChecker() {}

    public static HistoryVerdict check(History history) {
        HistoryChecker checker = new HistoryChecker();
        Answers.violations(history, checker.violations);
        Partitions.of(history).forEach(checker::judge);
        return new HistoryVerdict(checker.violations, checker.undecided);
    }

    private void judge(Partition partition) {
        for (Group group : partition.groups(Join.PAGES)) {
            Verdict verdict = group.search(CONFIGURATIONS_MAX).verdict();
            if (verdict != Verdict.EXPLAINED) {
                suspect(partition, group, verdict);
            }
        }
    }

    private void suspect(Partition partition, Group whole, Verdict verdict) {
        Optional<Group> smaller = smallest(partition, whole);
        if (smaller.isPresent()) {
            violations.add(Violation.of(smaller.get()));
        } else if (verdict == Verdict.UNEXPLAINED) {
            violations.add(Violation.of(whole));
        } else {
            undecided.add(whole.name());
        }
    }

    /** Fewer entities that are wrong by themselves. */
    private static Optional<Group> smallest(Partition partition, Group whole) {
        for (Join join : List.of(Join.NOTHING, Join.TRANSACTIONS)) {
            for (Group group : partition.groups(join)) {
                boolean isPart = group.entities().size() < whole.entities().size()
                        && whole.entities().containsAll(group.entities());
                if (isPart && group.search(CONFIGURATIONS_MAX).verdict() == Verdict.UNEXPLAINED) {
                    return Optional.of(group);
                }
            }
        }
        return Optional.empty();
    }
}
