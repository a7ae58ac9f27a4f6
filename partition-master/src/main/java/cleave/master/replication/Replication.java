package cleave.master.replication;

import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.model.KnownMasters;
import cleave.wire.MasterPeer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The replicated log as a master sees it. Thread-safe. */
public interface Replication {
    /**
     * Has a command replicated and applied. The future always completes normally: with the state machine's answer, or with
     * NOT_LEADER, UNAVAILABLE or BUSY (not executed, and the first names the leader's address) or UNKNOWN_OUTCOME.
     */
    CompletableFuture<MasterAnswer> propose(MasterCommand command);

    /** The cluster whose log this is; empty for a master that is no member of one. */
    String cluster();

    /** The state as this replica has applied it; never goes back while this master is the same member. */
    MasterState state();

    /** Grows with every command that this replica applies. */
    long appliedIndex();

    /**
     * The term in which this master leads and has applied all that came before; 0 if it does not lead. A hint: a cut-off
     * leader may believe in its term for a while, but none of its commands is answered then.
     */
    long leaderTerm();

    /** Address of the gRPC services of the master that leads, as far as known; may be empty. */
    String leaderAddress();

    /** The masters by the newest configuration that this replica has applied, and which of them leads. */
    KnownMasters masters();

    /** All masters and what is known of their roles. */
    List<MasterPeer> peers();

    /** The name of this member in the group; empty for a master that is no member. */
    String self();

    /**
     * Replaces the members by others, by Raft's own change of configuration. The future always completes normally: OK when the
     * change is committed, STALE_VERSION if the members are not those before any more, CONDITION_FAILED if one that is new did not
     * catch up, else as {@link #propose}.
     *
     * @param before the members, as the group calls them
     * @param after with name, id and addresses
     */
    CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after);

    /** Has another member lead; OK when it does. The future always completes normally. */
    CompletableFuture<MasterAnswer> transferLeadership(String member);
}
