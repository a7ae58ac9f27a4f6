package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Row;
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
    /** At the begin of a tick in which each range has a live owner. */
    static OwnedRange of(Tracked range, ClusterView view) {
        Incarnation owner = Objects.requireNonNull(range.row.owner());
        return new OwnedRange(range.row, owner, Objects.requireNonNull(view.server(owner)), range.load, range.history);
    }

    /** The same with its history as the tick has it by now. */
    OwnedRange now(Draft histories) {
        return new OwnedRange(row, owner, server, load, histories.of(row.id()));
    }

    long id() {
        return row.id();
    }
}
