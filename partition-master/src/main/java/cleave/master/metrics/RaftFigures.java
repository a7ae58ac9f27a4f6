package cleave.master.metrics;

import java.util.List;

/**
 * A master's part in the Raft group. Immutable.
 *
 * @param cluster empty for a master that is no member
 * @param committed the index of the last entry that it knows to be committed
 * @param pending commands that wait for their answer
 * @param others of the group; a follower knows only its leader
 */
public record RaftFigures(String cluster, long term, long committed, long applied, int pending, List<Member> others) {
    /** The figures of a master that is no member. */
    public static final RaftFigures NONE = new RaftFigures("", 0, 0, 0, 0, List.of());

    public RaftFigures {
        others = List.copyOf(others);
    }

    /**
     * Another member.
     *
     * @param behind entries of the log that it lacks; negative: not known
     * @param silentMillis since it was heard
     */
    public record Member(String id, long behind, long silentMillis) {}
}
