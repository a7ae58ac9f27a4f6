package cleave.chaos.fault;

import cleave.deploy.admin.AdminClient;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.Status;
import java.util.function.Function;

/**
 * A handoff for an operator to request. Immutable.
 *
 * @param interval of all its source ranges
 * @param asking requests it; returns the leader's answer when it has ended
 */
record ForcedHandoff(HandoffUse use, KeyRange interval, String text, Function<AdminClient, Status> asking) {
    static ForcedHandoff split(Row row, Key at) {
        return new ForcedHandoff(
                HandoffUse.SPLIT,
                row.range(),
                "split " + row + " at " + at,
                admin -> admin.askOnce(stub -> stub.split(
                        AdminSplitRequest.newBuilder().addKeys(at.toWire()).build())));
    }

    static ForcedHandoff merge(Row left, Row right) {
        return new ForcedHandoff(
                HandoffUse.MERGE,
                new KeyRange(left.range().start(), right.range().end()),
                "merge " + left + " with " + right,
                admin -> admin.askOnce(stub -> stub.merge(AdminMergeRequest.newBuilder()
                        .setRange(left.id())
                        .setWith(right.id())
                        .build())));
    }

    static ForcedHandoff move(Row row, String server) {
        return new ForcedHandoff(
                HandoffUse.MOVE,
                row.range(),
                "move " + row + " to " + server,
                admin -> admin.askOnce(stub -> stub.move(AdminMoveRequest.newBuilder()
                        .setRange(row.id())
                        .setServer(server)
                        .build())));
    }

    @Override
    public String toString() {
        return text;
    }
}
