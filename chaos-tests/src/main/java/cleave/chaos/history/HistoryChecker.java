package cleave.chaos.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a history: answers that are never right, ETags that repeat (invariant I8), and entities whose answers no sequential
 * store could have given (invariants I2, I3, I4). Pure.
 */
public final class HistoryChecker {
    private HistoryChecker() {}

    /** All violations; empty when the history is right. */
    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().forEach((key, operations) -> {
            wrongAnswers(key, operations, violations);
            repeatedEtags(key, operations, violations);
            new Linearization(key, operations).violation().ifPresent(violations::add);
        });
        return violations;
    }

    private static void wrongAnswers(String key, List<Operation> operations, List<Violation> violations) {
        for (Operation operation : operations) {
            if (operation.result().outcome() == Outcome.WRONG) {
                violations.add(new Violation(key, "an answer that is never right", List.of(operation.toString())));
            }
        }
    }

    private static void repeatedEtags(String key, List<Operation> operations, List<Violation> violations) {
        Map<String, Operation> writers = new HashMap<>();
        Map<String, Operation> readers = new HashMap<>();
        for (Operation operation : operations) {
            String etag = operation.result().etag();
            if (etag.isEmpty() || operation.result().outcome() != Outcome.DONE) {
                continue;
            }
            boolean isWrite = operation.kind().isWrite();
            Operation other = (isWrite ? writers : readers).putIfAbsent(etag, operation);
            if (other != null
                    && (isWrite
                            || !other.result()
                                    .properties()
                                    .equals(operation.result().properties()))) {
                violations.add(
                        new Violation(key, "an ETag that repeats", List.of(other.toString(), operation.toString())));
            }
        }
    }
}
