package cleave.dfs.bookkeeper.state;

import cleave.dfs.DfsException.Reason;
import org.jspecify.annotations.Nullable;

/** Why an append or barrier failed, in the contract's terms. Pure. */
public final class AppendVerdict {
    private AppendVerdict() {}

    /**
     * BookKeeper's error says only that the ledger takes no more. A ledger also ends when too few bookies are left, when ZooKeeper is
     * away for too long, or when autorecovery closes it. Whether the <em>file</em> was sealed or deleted is a matter of its name alone,
     * because a process that seals or deletes another's file changes the name first.
     *
     * @param ending the action of this process itself on the handle; null if none
     * @param name as it was after the failure; null if it could not be learnt
     * @param ledger that the handle writes
     */
    public static Reason of(@Nullable Reason ending, @Nullable Name name, long ledger) {
        if (ending != null) {
            return ending;
        }
        if (name == null) {
            return Reason.BROKEN;
        }
        if (!name.isFile() || name.ledger() != ledger) {
            return Reason.DELETED;
        }
        return name.kind() == Name.Kind.WRITTEN ? Reason.BROKEN : Reason.SEALED;
    }
}
