package cleave.master.policy;

/**
 * One member of the masters' group, as its leader sees it. Immutable.
 *
 * @param member its name in the group, which is new each time that a master joins, so that a lost disk is a lost member
 * @param id the master's id
 * @param raft address of its Raft service
 * @param rpc address of its gRPC services
 * @param reachable whether it has answered the leader lately
 */
public record MasterMember(String member, String id, String raft, String rpc, boolean reachable) {
    /** Separates a master's id from the suffix that makes its name in the group unique. */
    public static final String MARK = "#";

    @Override
    public String toString() {
        return id + " (" + member + " at " + rpc + ")";
    }
}
