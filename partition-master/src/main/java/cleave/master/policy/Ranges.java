package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ranges as a tick of the balancer finds them: those that its rules may want, without a look at the others. */
public interface Ranges {
    /** True if each of them has one of these owners. */
    boolean areOwnedBy(Map<Incarnation, ClusterView.Server> servers);

    /** Null if there is no such range. */
    @Nullable
    Tracked find(long id);

    /** The range, which there is. */
    default Tracked of(long id) {
        Tracked found = find(id);
        if (found == null) {
            throw new AssertionError("range " + id + " is not known");
        }
        return found;
    }

    /** What the ranges of each owner carry together, by {@link Prediction#weight}. */
    Map<Incarnation, Double> carried();

    /** In key order, at least those that are hot or large, and those that were refused or reported. */
    Iterable<Tracked> watched();

    /** In key order, at least those that are small and cold together with the next one behind them. */
    Iterable<Tracked> leftOfCold();

    List<Tracked> ownedBy(Incarnation server);

    /** Of these, those that weigh more than an idle range, the heaviest first; equal ones in key order. */
    Iterable<Tracked> inUse(Incarnation server);

    /** The others, which all weigh the same, in key order. */
    List<Tracked> idle(Incarnation server);
}
