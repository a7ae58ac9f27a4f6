package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.master.state.Rows;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Collection;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The input of {@link TakeoverRule}. It looks things up and copies nothing, since most decisions look at a few ranges of many; nothing in it
 * changes during a decision.
 *
 * @param inHandoff true for the ids of ranges that a handoff or another command is replacing
 * @param mayOrder false while a new leader waits for servers that may still come
 * @param patienceNanos how long an opening may take without progress
 * @param opensPerServer orders that a server has at a time
 */
public record TakeoverView(
        MasterState state,
        Servers servers,
        LongPredicate inHandoff,
        boolean mayOrder,
        long patienceNanos,
        int opensPerServer) {

    /** The servers' reports to the leader. */
    public interface Servers {
        /** The servers with an open stream, in order. */
        Collection<Incarnation> incarnations();

        /** True if a server gets no more ranges because it lacks space for them, its clock is wrong, or the DFS does not answer it. */
        boolean isAside(Incarnation server, long now);

        /** True if a server reports that little disk space is left. */
        boolean isLowOnSpace(Incarnation server);

        /** When the openings at a server last made progress; null if it was not heard. */
        @Nullable
        Long openingProgressAt(Incarnation server);

        boolean serves(Incarnation server, Row row);

        /** The expected load of a range, at least 1. */
        double weight(long range);

        /** The same of all ranges of a server in the map together. */
        double weightOf(Incarnation server, Rows rows);
    }

    /** True if the owner is live and serves the range under the row's epoch. */
    public boolean isServed(Row row) {
        Incarnation owner = row.owner();
        return owner != null && state.isLive(owner) && servers.serves(owner, row);
    }
}
