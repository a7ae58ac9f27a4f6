package cleave.server.range;

import cleave.model.manifest.DroppedTables;
import cleave.model.table.Registry;
import cleave.server.policy.Judgement;
import cleave.server.policy.WriteJudge;
import cleave.server.state.Effect;
import cleave.server.state.WriteOp;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import java.util.List;
import java.util.function.Consumer;

/**
 * A request that changes the range, on its way through the committer. Answered exactly once. Immutable.
 *
 * @param bytes that it holds in memory
 * @param arrivedNanos when it came
 * @param deadlineNanos after which it is not executed any more
 * @param work what is to be done
 * @param answer takes the end
 */
record Queued(long bytes, long arrivedNanos, long deadlineNanos, Work work, Consumer<Judgement> answer) {
    /** What is to be done. */
    sealed interface Work {}

    /** One transaction. */
    record Write(List<WriteOp> operations) implements Work {}

    /** The drop of a table id. */
    record Drop(long table) implements Work {}

    /** True of what Delete Table does: to the registry, and where the table is. */
    boolean servesToFreeSpace() {
        return !(work instanceof Write write) || write.operations().stream().allMatch(Queued::servesToFreeSpace);
    }

    private static boolean servesToFreeSpace(WriteOp operation) {
        boolean changesNothingElse = operation.kind() == WriteKind.MERGE || operation.kind() == WriteKind.DELETE;
        return operation.key().table() == Registry.TABLE && changesNothingElse;
    }

    Judgement judge(WriteJudge judge, WriteJudge.View view, DroppedTables dropped, long nowTicks) {
        if (work instanceof Write write) {
            return dropped.contains(write.operations().get(0).key().table())
                    ? failed(ErrorCode.TABLE_DROPPED, "the table was dropped")
                    : judge.judge(write.operations(), view, nowTicks);
        }
        if (work instanceof Drop drop) {
            // A repeated drop is already done: it is confirmed, and appends nothing.
            return new Judgement(
                    ErrorCode.OK,
                    0,
                    "",
                    dropped.contains(drop.table()) ? List.of() : List.of(new Effect.DropTable(drop.table())),
                    List.of());
        }
        throw new AssertionError("unknown work " + work);
    }

    void answer(ErrorCode code, String message) {
        answer.accept(failed(code, message));
    }

    static Judgement failed(ErrorCode code, String message) {
        return new Judgement(code, 0, message, List.of(), List.of());
    }
}
