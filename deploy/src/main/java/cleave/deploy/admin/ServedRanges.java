package cleave.deploy.admin;

import cleave.wire.RangeState;
import cleave.wire.StatusReply;
import java.util.TreeSet;

/**
 * How many ranges of a cluster are served. Immutable.
 *
 * @param trouble why one of the others could not be opened; empty if that is not known
 */
public record ServedRanges(int serving, int all, String trouble) {
    public static ServedRanges of(StatusReply status) {
        TreeSet<String> troubles = new TreeSet<>();
        int serving = 0;
        for (RangeState state : status.getStatesList()) {
            if (state.getState().equals("serving")) {
                serving++;
            } else if (!state.getTrouble().isEmpty()) {
                troubles.add(state.getTrouble());
            }
        }
        return new ServedRanges(serving, status.getStatesCount(), troubles.isEmpty() ? "" : troubles.first());
    }

    public boolean isAll() {
        return serving == all && all > 0;
    }

    /** For people. */
    public String missing() {
        return (all - serving) + " of " + all + " ranges are not served" + (trouble.isEmpty() ? "" : ": " + trouble);
    }
}
