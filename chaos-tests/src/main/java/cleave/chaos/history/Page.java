package cleave.chaos.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan: all entities of an interval of keys, and so those that are not there, too. Immutable.
 *
 * <p>Entities of one partition are seen on it as they were at one moment; those of different partitions may be seen at different
 * moments of the call, since different servers may have them.
 *
 * @param scan the walk that it is part of, by a number that its client gives no other
 * @param from the first key that it looked at: the token it was asked with, or where the scan begins
 * @param until the first that it did not look at: its own token, or where the scan ends; null for the end of the table
 * @param rows as they were returned
 */
public record Page(
        Call call, int scan, EntityKey from, @Nullable EntityKey until, List<Row> rows) implements Operation {
    public Page {
        rows = List.copyOf(rows);
    }

    /** An entity on it. */
    public record Row(EntityKey key, Result result) {
        @Override
        public String toString() {
            return key + " " + result.properties() + " " + result.etag();
        }
    }

    /** The same, with no other entities than these, for people. */
    Page narrowed(List<EntityKey> keys) {
        return new Page(
                call,
                scan,
                from,
                until,
                rows.stream().filter(row -> keys.contains(row.key())).toList());
    }

    boolean covers(EntityKey key) {
        return key.table().equals(from.table())
                && key.compareTo(from) >= 0
                && (until == null || key.compareTo(until) < 0);
    }

    @Override
    public Outcome outcome() {
        return Outcome.DONE;
    }

    @Override
    public String told() {
        return "PAGE of scan " + scan + " [" + from + " .. " + (until == null ? "end" : until) + ") -> " + rows;
    }

    @Override
    public String toString() {
        return call + " " + told();
    }
}
