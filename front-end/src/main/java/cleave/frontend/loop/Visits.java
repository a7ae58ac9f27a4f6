package cleave.frontend.loop;

import cleave.frontend.policy.QueryClass;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What one request cost, for {@code x-cleave-explain} and the metrics. Confined to its loop. */
final class Visits {
    private final Set<Long> ranges = new TreeSet<>();
    private final Set<String> servers = new TreeSet<>();
    private @Nullable QueryClass queryClass;
    private long calls;
    private long examined;
    private long received;
    private long returned;

    /** The request is a query of this class. */
    void classify(QueryClass its) {
        queryClass = its;
    }

    /** A range answered. The row is that of the map, which may just have changed: a hint, good enough to explain. */
    void called(@Nullable Row row) {
        calls++;
        if (row != null) {
            ranges.add(row.id());
            Incarnation owner = row.owner();
            if (owner != null) {
                servers.add(owner.server());
            }
        }
    }

    void read(long entitiesExamined, long entitiesReceived) {
        examined += entitiesExamined;
        received += entitiesReceived;
    }

    void answered(long entitiesReturned) {
        returned += entitiesReturned;
    }

    /** Null if the request is no query. */
    @Nullable
    QueryClass queryClass() {
        return queryClass;
    }

    long calls() {
        return calls;
    }

    long examined() {
        return examined;
    }

    long received() {
        return received;
    }

    long returned() {
        return returned;
    }

    /** The value of the answer's header, for example {@code class=row-range; ranges=1; servers=1; calls=1; ...}. */
    String explain(long millis) {
        String text = "ranges=" + ranges.size() + "; servers=" + servers.size() + "; calls=" + calls + "; examined="
                + examined + "; received=" + received + "; returned=" + returned + "; ms=" + millis;
        return queryClass == null ? text : "class=" + label(queryClass) + "; " + text;
    }

    /** For example {@code row-range}. */
    static String label(QueryClass queryClass) {
        return queryClass.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
