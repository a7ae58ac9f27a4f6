package cleave.master.policy;

import cleave.master.policy.BalancerMemory.Draft;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A range as a tick of the balancer sees it. Immutable.
 *
 * @param server its owner, which lives
 * @param load null if its owner does not report that it serves it
 */
record OwnedRange(
        Row row,
        Incarnation owner,
        ClusterView.Server server,
        @Nullable Load load,
        RangeHistory history) {
    /** The ranges of a view, in key order, at the begin of a tick; each has a live owner. */
    static List<OwnedRange> all(ClusterView view, Draft histories) {
        List<OwnedRange> all = new ArrayList<>(view.rows().size());
        for (Row row : view.rows()) {
            all.add(new OwnedRange(
                    row,
                    Objects.requireNonNull(row.owner()),
                    Objects.requireNonNull(view.server(row.owner())),
                    view.loads().get(row.id()),
                    histories.of(row.id())));
        }
        return all;
    }

    /** The same with its history as the tick has it by now. */
    OwnedRange now(Draft histories) {
        return new OwnedRange(row, owner, server, load, histories.of(row.id()));
    }

    long id() {
        return row.id();
    }
}
