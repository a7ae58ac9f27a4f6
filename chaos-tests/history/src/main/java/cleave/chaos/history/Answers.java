package cleave.chaos.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds answers that are wrong regardless of all others: invalid answers, repeated ETags, pages out of order. Confined
 * to its caller.
 */
final class Answers {
    private record Scan(int client, int number) {}

    /** The operation that created or returned an ETag, with the properties. */
    private record Use(Operation operation, Map<String, String> properties) {}

    private final List<Violation> violations;
    private final Map<Partition.Etag, Use> writers = new HashMap<>();
    private final Map<Partition.Etag, Use> readers = new HashMap<>();
    private final Map<Scan, EntityKey> lastOfScan = new HashMap<>();

    private Answers(List<Violation> violations) {
        this.violations = violations;
    }

    static void violations(History history, List<Violation> violations) {
        history.operations().forEach(new Answers(violations)::judge);
    }

    private void judge(Operation operation) {
        if (operation.outcome() == Outcome.WRONG) {
            violation("an answer that is never right", operation);
        } else if (operation.outcome() == Outcome.DONE) {
            if (operation instanceof Change change) {
                for (int i = 0; i < change.writes().size(); i++) {
                    gave(change, change.writes().get(i), change.etags().get(i));
                }
            } else if (operation instanceof Get get) {
                showed(get, get.key(), get.result());
            } else if (operation instanceof Page page) {
                page.rows().forEach(row -> showed(page, row.key(), row.result()));
                order(page);
            }
        }
    }

    private void violation(String reason, Operation... operations) {
        violations.add(Violation.of(reason, operations));
    }

    private void gave(Change change, Write write, String etag) {
        Use use = new Use(change, write.properties());
        Use other = etag.isEmpty() ? null : writers.putIfAbsent(new Partition.Etag(write.key(), etag), use);
        if (other != null) {
            violation("an ETag that repeats", other.operation(), change);
        }
    }

    private void showed(Operation read, EntityKey key, Result result) {
        Use use = new Use(read, result.properties());
        Use other = readers.putIfAbsent(new Partition.Etag(key, result.etag()), use);
        if (other != null && !other.properties().equals(result.properties())) {
            violation("an ETag that repeats", other.operation(), read);
        }
    }

    /** Invariant I7: each key at most once, in order; a token is beyond the start of its page. */
    private void order(Page page) {
        EntityKey least = page.from();
        for (Page.Row row : page.rows()) {
            if (row.key().compareTo(least) < 0 || !page.covers(row.key())) {
                violation("a page that is out of order, or beyond its bounds, at " + row.key(), page);
                return;
            }
            least = row.key().next();
        }
        EntityKey until = page.until();
        if (until != null && until.compareTo(page.from()) <= 0) {
            violation("a page whose token is not ahead of its beginning", page);
        }
        Scan scan = new Scan(page.call().client(), page.scan());
        EntityKey last = lastOfScan.get(scan);
        if (last != null && !page.from().equals(last)) {
            violation("a page that does not begin at the token before it, " + last, page);
        }
        if (until != null) {
            lastOfScan.put(scan, until);
        }
    }
}
