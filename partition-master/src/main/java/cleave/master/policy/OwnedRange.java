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
 * @param bytes as last reported by an owner that knows its size
 */
record OwnedRange(
        Row row,
        Incarnation owner,
        ClusterView.Server server,
        @Nullable Load load,
        long bytes,
        RangeHistory history) {
    /** At the begin of a tick in which each range has a live owner. */
    static OwnedRange of(Tracked range, ClusterView view) {
        Incarnation owner = Objects.requireNonNull(range.row.owner());
        ClusterView.Server server = Objects.requireNonNull(view.server(owner));
        return new OwnedRange(range.row, owner, server, range.load, range.bytes, range.history);
    }

    /** The same with its history as the tick has it by now. */
    OwnedRange now(Draft histories) {
        return new OwnedRange(row, owner, server, load, bytes, histories.of(row.id()));
    }

    long id() {
        return row.id();
    }
}
