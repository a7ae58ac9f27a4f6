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
 * A handoff that an operator might ask for. Immutable.
 *
 * @param interval of all the ranges that it is about
 * @param asking asks for it, and answers what the leader said of its end
 */
record Wish(HandoffUse use, KeyRange interval, String text, Function<AdminClient, Status> asking) {
    static Wish split(Row row, Key at) {
        return new Wish(
                HandoffUse.SPLIT,
                row.range(),
                "split " + row + " at " + at,
                admin -> admin.askOnce(stub -> stub.split(
                        AdminSplitRequest.newBuilder().addKeys(at.toWire()).build())));
    }

    static Wish merge(Row left, Row right) {
        return new Wish(
                HandoffUse.MERGE,
                new KeyRange(left.range().start(), right.range().end()),
                "merge " + left + " with " + right,
                admin -> admin.askOnce(stub -> stub.merge(AdminMergeRequest.newBuilder()
                        .setRange(left.id())
                        .setWith(right.id())
                        .build())));
    }

    static Wish move(Row row, String server) {
        return new Wish(
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
