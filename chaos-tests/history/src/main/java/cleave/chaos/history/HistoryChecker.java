package cleave.chaos.history;

import cleave.chaos.history.Linearization.Linearizability;
import cleave.chaos.history.Partition.Join;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks a history for answers that are never right, repeated ETags (invariant I8), pages out of order (invariant I7),
 * and partitions whose operations are not linearizable (invariants I2, I3, I4, I6). Pure.
 *
 * <p>A partition is first checked as a whole, with all entities that a transaction or a page joins. If that finds no
 * order or does not terminate in time, the partition is decomposed to report as few entities as possible: a transaction
 * then counts as a write of each of its entities, a page as a read of each.
 */
public final class HistoryChecker {
    /** Maximum configurations of one search; a history without a violation takes about one for each operation. */
    private static final int CONFIGURATIONS_MAX = 100_000;

    private final List<Violation> violations = new ArrayList<>();
    private final List<String> undecided = new ArrayList<>();

    private HistoryChecker() {}

    public static CheckResult check(History history) {
        HistoryChecker checker = new HistoryChecker();
        Answers.violations(history, checker.violations);
        Partitions.of(history).forEach(checker::judge);
        return new CheckResult(checker.violations, checker.undecided);
    }

    private void judge(Partition partition) {
        for (Group group : partition.groups(Join.PAGES)) {
            Linearizability result = group.search(CONFIGURATIONS_MAX).result();
            if (result != Linearizability.LINEARIZABLE) {
                suspect(partition, group, result);
            }
        }
    }

    private void suspect(Partition partition, Group whole, Linearizability result) {
        Optional<Group> smaller = smallest(partition, whole);
        if (smaller.isPresent()) {
            violations.add(Violation.of(smaller.get()));
        } else if (result == Linearizability.NOT_LINEARIZABLE) {
            violations.add(Violation.of(whole));
        } else {
            undecided.add(whole.name());
        }
    }

    /** Reports smaller groups that are wrong by themselves. */
    private static Optional<Group> smallest(Partition partition, Group whole) {
        for (Join join : List.of(Join.NOTHING, Join.TRANSACTIONS)) {
            for (Group group : partition.groups(join)) {
                boolean isPart = group.entities().size() < whole.entities().size()
                        && whole.entities().containsAll(group.entities());
                if (isPart && group.search(CONFIGURATIONS_MAX).result() == Linearizability.NOT_LINEARIZABLE) {
                    return Optional.of(group);
                }
            }
        }
        return Optional.empty();
    }
}
