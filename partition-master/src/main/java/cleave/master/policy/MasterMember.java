package cleave.master.policy;

/**
 * One member of the masters' group, as its leader sees it. Immutable.
 *
 * @param member what the group calls it: another name each time that a master joins, so that a disk that was lost is a member that
 *     was lost
 * @param id the master's
 * @param raft address of its Raft service
 * @param rpc address of its gRPC services
 * @param reachable whether it has answered the leader of late
 */
public record MasterMember(String member, String id, String raft, String rpc, boolean reachable) {
    /** Stands between a master's id and what makes its name another one at each joining. */
    public static final String MARK = "#";

    @Override
    public String toString() {
        return id + " (" + member + " at " + rpc + ")";
    }
}
