package cleave.master.core;

import cleave.master.membership.GroupMembership;
import cleave.master.membership.MasterGroup;
import java.util.concurrent.CompletableFuture;

/** The part of a member that never ends. Immutable. */
final class FakeGroup implements MasterGroup {
    @Override
    public CompletableFuture<Void> keep(GroupMembership membership) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> begin(GroupMembership membership) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> leave(GroupMembership membership) {
        return CompletableFuture.failedFuture(new AssertionError(membership + " is to stay"));
    }

    @Override
    public boolean hasEnded() {
        return false;
    }

    @Override
    public long term() {
        return 0;
    }
}
