package cleave.chaos.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan: all entities in an interval of keys, and thus also the absence of all others. Immutable.
 *
 * <p>Entities of one partition are as of one moment; those of different partitions may be as of different moments of
 * the call, because different servers may own them.
 *
 * @param scan number of its scan, unique for its client
 * @param from the first examined key: the token of the request, or the start of the scan
 * @param until the first key not examined: its own token, or the end of the scan; null for the end of the table
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

    /** The same with only these entities, for reports. */
    Page narrowed(List<EntityKey> keys) {
        return new Page(
                call,
                scan,
                from,
                until,
                rows.stream().filter(row -> keys.contains(row.key())).toList());
    }

    public boolean covers(EntityKey key) {
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
