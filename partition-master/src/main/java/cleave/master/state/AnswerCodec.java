package cleave.master.state;

import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.Status;

/** Answers to and from the wire. Stateless. */
public final class AnswerCodec {
    private AnswerCodec() {}

    public static cleave.wire.MasterAnswer toWire(MasterAnswer answer) {
        cleave.wire.MasterAnswer.Builder wire = cleave.wire.MasterAnswer.newBuilder()
                .setStatus(status(answer))
                .setIndex(answer.index())
                .setFirstTable(answer.firstTable());
        answer.rows().forEach(row -> wire.addRows(row.toWire()));
        Incarnation incarnation = answer.incarnation();
        if (incarnation != null) {
            wire.setIncarnation(incarnation.toWire());
        }
        return wire.build();
    }

    public static MasterAnswer fromWire(cleave.wire.MasterAnswer wire) {
        return new MasterAnswer(
                wire.getStatus().getCode(),
                wire.getStatus().getMessage(),
                wire.getIndex(),
                wire.getRowsList().stream().map(Row::fromWire).toList(),
                wire.hasIncarnation() ? Incarnation.fromWire(wire.getIncarnation()) : null,
                wire.getFirstTable());
    }

    public static Status status(MasterAnswer answer) {
        return status(answer.code(), answer.message());
    }

    public static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }
}
