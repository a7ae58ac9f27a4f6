package cleave.chaos.sim;

import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.DropReply;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.concurrent.CompletableFuture;

/** A master's access to the servers, with a planted bug. Confined to the simulation. */
final class MutantRangeCalls implements RangeCalls {
    private final World world;
    private final RangeCalls calls;
    private final Replication replication;
    private final Bug bug;

    MutantRangeCalls(World world, RangeCalls calls, Replication replication, Bug bug) {
        this.world = world;
        this.calls = calls;
        this.replication = replication;
        this.bug = bug;
    }

    @Override
    public CompletableFuture<ReadReply> read(Key key, long deadlineNanos) {
        return calls.read(key, deadlineNanos);
    }

    @Override
    public CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos) {
        return calls.write(operation, deadlineNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos) {
        Row first = replication.state().rows().at(at);
        return bug == Bug.DROP_FORGETS_A_RANGE && first != null && at.equals(Key.beforeTable(table))
                ? CompletableFuture.completedFuture(DropReply.newBuilder()
                        .setStatus(Status.getDefaultInstance())
                        .setStart(first.range().startToWire())
                        .setEnd(first.range().endToWire())
                        .build())
                : calls.drop(at, table, deadlineNanos);
    }

    @Override
    public CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos) {
        HandoffShares.begun(world.trace());
        return calls.handoff(address, order, deadlineNanos).thenApply(outcome -> {
            HandoffShares.ended(world.trace(), outcome);
            return outcome;
        });
    }

    @Override
    public CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos) {
        return calls.cancelHandoff(address, cancel, deadlineNanos);
    }

    @Override
    public CompletableFuture<Boolean> refuses(String address) {
        return calls.refuses(address);
    }
}
