package cleave.frontend.core;

import cleave.frontend.handlers.TableMaster;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.wire.AllocateReply;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** The masters of a {@link FakeCluster}. Thread-safe. */
public final class FakeMaster implements TableMaster {
    private final FakeCluster cluster;
    private final AtomicLong nextTable = new AtomicLong(5);
    private volatile ErrorCode answer = ErrorCode.OK;
    private volatile boolean dropsStay;

    public FakeMaster(FakeCluster cluster) {
        this.cluster = cluster;
    }

    /** All that is asked for is answered with this, and nothing is done unless it is OK. */
    public void answerWith(ErrorCode code) {
        answer = code;
    }

    /** Drops begin, mark the table, and never come to their end. */
    public void leaveDropsUndone() {
        dropsStay = true;
    }

    @Override
    public CompletableFuture<AllocateReply> allocateTableIds(int count, long deadlineNanos) {
        AllocateReply.Builder reply = AllocateReply.newBuilder().setStatus(status());
        if (answer == ErrorCode.OK) {
            reply.setFirst(nextTable.getAndAdd(count));
        }
        return CompletableFuture.completedFuture(reply.build());
    }

    @Override
    public CompletableFuture<CommandReply> dropTable(String account, String name, long table, long deadlineNanos) {
        if (answer == ErrorCode.OK) {
            Key key = Registry.key(account, name);
            byte[] marked = EntityCodec.merge(
                    Objects.requireNonNull(cluster.get(key)), EntityCodec.encode(Registry.markDeleting()));
            EntityCodec.stampTimestamp(marked, EntityCodec.timestamp(marked) + 1);
            cluster.put(key, marked);
            if (dropsStay) {
                return CompletableFuture.completedFuture(CommandReply.newBuilder()
                        .setStatus(Status.newBuilder().setCode(ErrorCode.UNKNOWN_OUTCOME))
                        .build());
            }
            cluster.drop(table);
            cluster.remove(key);
        }
        return CompletableFuture.completedFuture(
                CommandReply.newBuilder().setStatus(status()).build());
    }

    private Status status() {
        return Status.newBuilder().setCode(answer).build();
    }
}
