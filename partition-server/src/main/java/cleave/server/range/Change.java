package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.model.AccountNumber;
import cleave.model.Key;
import cleave.model.RequestId;
import cleave.model.table.Registry;
import cleave.server.metrics.ServerMetrics.OfRequests;
import cleave.server.policy.Judgement;
import cleave.server.policy.WriteJudge;
import cleave.server.state.Effect;
import cleave.server.state.WriteOp;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.StepKind;
import cleave.wire.Timing;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request that changes the range: the committer judges it, and answers it when that is allowed. */
abstract class Change extends PendingRequest {
    private @Nullable Judgement judgement;

    private Change(
            RangeRequests to,
            OfRequests metrics,
            RequestId id,
            @Nullable Steps steps,
            int account,
            int bytes,
            int deadlineMillis) {
        super(to, metrics, id, steps, account, bytes, deadlineMillis);
    }

    @Override
    final void execute() {
        to.committer().submit(this);
    }

    @Override
    final void refuse(ErrorCode code, String message) {
        answer(Judgement.refused(code, 0, message));
    }

    /** Judges it against the stored entities and the writes in flight. */
    abstract Judgement judge(WriteJudge judge, InFlight inFlight, long nowTicks);

    abstract void answer(Judgement end);

    /** True for the writes of a Delete Table: to the registry, and the drop itself. */
    abstract boolean servesToFreeSpace();

    /** Sets the answer that {@link #answer()} gives once the change is durable and confirmed. */
    final void judged(Judgement judged) {
        judgement = judged;
    }

    final boolean changesNothing() {
        return judgement == null || judgement.effects().isEmpty();
    }

    final void answer() {
        if (judgement == null) {
            throw new AssertionError("answered before it was judged");
        }
        answer(judgement);
    }

    /** One transaction. */
    static final class Write extends Change {
        private final List<WriteOp> operations;
        private final Consumer<WriteReply> reply;

        Write(RangeRequests to, WriteRequest request, List<WriteOp> operations, Consumer<WriteReply> reply) {
            super(
                    to,
                    to.outside.metrics().ofWrites,
                    RequestId.of(request.getRequestHigh(), request.getRequestLow()),
                    Steps.of(request.hasTrace(), request.getTrace(), StepKind.STEP_JUDGE),
                    request.getAccount(),
                    request.getSerializedSize(),
                    request.getDeadlineMillis());
            this.operations = operations;
            this.reply = reply;
        }

        Key key() {
            return operations.get(0).key();
        }

        @Override
        @Nullable
        String excess() {
            boolean lacksSpace = switch (to.outside.dfs().space()) {
                case ROOMY -> false;
                case LOW -> !servesToFreeSpace();
                case FULL -> true; // Any append would wait, for longer than its client.
            };
            return lacksSpace
                    ? "the DFS is short of space: no writes are accepted until there is more"
                    : to.admission.charge(key(), operations.size());
        }

        @Override
        Judgement judge(WriteJudge judge, InFlight inFlight, long nowTicks) {
            return inFlight.dropped().contains(key().table())
                    ? Judgement.refused(ErrorCode.TABLE_DROPPED, 0, to.textOf(ErrorCode.TABLE_DROPPED))
                    : judge.judge(operations, inFlight, nowTicks);
        }

        @Override
        boolean servesToFreeSpace() {
            return operations.stream().allMatch(Write::servesToFreeSpace);
        }

        private static boolean servesToFreeSpace(WriteOp operation) {
            boolean changesNothingElse = operation.kind() == WriteKind.MERGE || operation.kind() == WriteKind.DELETE;
            return operation.key().table() == Registry.TABLE && changesNothingElse;
        }

        @Override
        void answer(Judgement end) {
            leave();
            count(end);
            WriteReply.Builder answer = WriteReply.newBuilder()
                    .setQueueMicros(queueMicros())
                    .setDfsMicros(dfsMicros())
                    .setStatus(to.status(end.code(), end.message()))
                    .setFailedOperation(end.failedOperation())
                    .addAllTimestamps(end.timestamps());
            Timing timing = timing(end.code());
            reply.accept(
                    timing == null ? answer.build() : answer.setTiming(timing).build());
            answered(end.code());
        }

        private void count(Judgement end) {
            switch (end.code()) {
                case OK -> {
                    to.load.wrote(operations, end.effects());
                    to.outside.metrics().writes.inc(operations.size());
                }
                case ALREADY_EXISTS, NOT_FOUND, CONDITION_FAILED -> to.load.read(key(), 0);
                default -> {
                    // Its cost is not worth counting.
                }
            }
        }
    }

    /** The drop of a table id. Sent by masters. */
    static final class Drop extends Change {
        private final long table;
        private final Consumer<DropReply> reply;

        Drop(RangeRequests to, DropRequest request, Consumer<DropReply> reply) {
            super(
                    to,
                    to.outside.metrics().ofDrops,
                    RequestId.NONE,
                    null,
                    AccountNumber.NOBODY,
                    request.getSerializedSize(),
                    0);
            this.table = request.getTable();
            this.reply = reply;
        }

        @Override
        @Nullable
        String excess() {
            return to.outside.dfs().space() == Dfs.Space.FULL
                    ? "the disk of the DFS is full: no writes are accepted until there is more space"
                    : null;
        }

        @Override
        Judgement judge(WriteJudge judge, InFlight inFlight, long nowTicks) {
            // A repeated drop is already done: it is confirmed, and appends nothing.
            boolean isDone = inFlight.dropped().contains(table);
            return Judgement.executed(isDone ? List.of() : List.of(new Effect.DropTable(table)), List.of());
        }

        @Override
        boolean servesToFreeSpace() {
            return true;
        }

        @Override
        void answer(Judgement end) {
            leave();
            reply.accept(DropReply.newBuilder()
                    .setStatus(to.status(end.code(), end.message()))
                    .setStart(to.ownership.interval().startToWire())
                    .setEnd(to.ownership.interval().endToWire())
                    .build());
            answered(end.code());
        }
    }
}
