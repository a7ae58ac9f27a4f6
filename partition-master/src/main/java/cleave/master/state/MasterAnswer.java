package cleave.master.state;

import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a command. Immutable.
 *
 * @param message a text with the values
 * @param index Raft index at which the command was applied; 0 if it was not
 * @param rows the rows that the command concerns, as they are after it
 * @param incarnation of a registration
 * @param firstTable of an allocation
 */
public record MasterAnswer(
        ErrorCode code,
        String message,
        long index,
        List<Row> rows,
        @Nullable Incarnation incarnation,
        long firstTable) {
    public MasterAnswer {
        rows = List.copyOf(rows);
    }

    public static MasterAnswer ok(long index) {
        return ok(index, List.of());
    }

    public static MasterAnswer ok(long index, List<Row> rows) {
        return new MasterAnswer(ErrorCode.OK, "", index, rows, null, 0);
    }

    static MasterAnswer registered(long index, Incarnation incarnation) {
        return new MasterAnswer(ErrorCode.OK, "", index, List.of(), incarnation, 0);
    }

    static MasterAnswer allocated(long index, long firstTable) {
        return new MasterAnswer(ErrorCode.OK, "", index, List.of(), null, firstTable);
    }

    /** A refusal by the state machine, which is certain as of {@code index}. */
    static MasterAnswer refused(long index, ErrorCode code, String message, List<Row> rows) {
        return new MasterAnswer(code, message, index, rows, null, 0);
    }

    /** The command did not reach the state machine, or it is not known whether it did. */
    public static MasterAnswer failed(ErrorCode code, String message) {
        return new MasterAnswer(code, message, 0, List.of(), null, 0);
    }

    public boolean isOk() {
        return code == ErrorCode.OK;
    }
}
