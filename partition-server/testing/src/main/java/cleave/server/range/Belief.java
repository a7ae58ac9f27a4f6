package cleave.server.range;

import cleave.server.ServerCore;
import cleave.server.ServerCores;
import cleave.server.state.Ownership;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A range as a server sees it, which may be wrong: only its log tells. Immutable.
 *
 * @param phase of the range, in lower case
 * @param serves whether requests begin
 */
public record Belief(Ownership ownership, String phase, boolean serves) {
    /** Of all ranges of a server: those that it serves, and those that it is about to. */
    public static List<Belief> of(ServerCore server) {
        List<Belief> all = new ArrayList<>();
        for (Range range : ServerCores.directory(server).known()) {
            RangeState.Phase phase = range.phase();
            all.add(new Belief(
                    range.ownership(),
                    phase.name().toLowerCase(Locale.ROOT),
                    phase.requests() == RangeState.Requests.BEGIN));
        }
        return all;
    }
}
