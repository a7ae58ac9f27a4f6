package cleave.master.loop;

import java.util.concurrent.CompletableFuture;

/** A master's own part in the replicated group: its folder, and the log that it keeps there. Called from the master loop. */
public interface MasterGroup {
    /** Writes the membership to the folder; durable when complete. */
    CompletableFuture<Void> keep(GroupMembership membership);

    /** Begins to take part in the group of the cluster; once in a process's life. */
    CompletableFuture<Void> begin(GroupMembership membership);
}
