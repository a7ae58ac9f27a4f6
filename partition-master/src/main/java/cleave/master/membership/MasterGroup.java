package cleave.master.membership;

import java.util.concurrent.CompletableFuture;

/** A master's own part in the replicated group: its folder, and the log that it keeps there. Called from the master loop. */
public interface MasterGroup {
    /** Writes the membership to the folder; durable when complete. */
    CompletableFuture<Void> keep(GroupMembership membership);

    /** Begins to take part in the group of the cluster, or begins anew. */
    CompletableFuture<Void> begin(GroupMembership membership);

    /** Ends the part of a member, and puts aside what the folder keeps of it; the master is blank when this is complete. */
    CompletableFuture<Void> leave(GroupMembership membership);

    /** Whether the part of this member ended by itself, which happens when it is no longer a member. */
    boolean hasEnded();

    /** The highest term of the group that this member knows; 0 for none. */
    long term();
}
