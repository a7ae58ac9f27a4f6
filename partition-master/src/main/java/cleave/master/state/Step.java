package cleave.master.state;

import cleave.wire.ErrorCode;
import java.util.List;

/** The result of a command: the next state, and the answer to its proposer. Immutable. */
public record Step(MasterState state, MasterAnswer answer) {
    static Step refused(MasterState unchanged, long index, ErrorCode code, String message) {
        return new Step(unchanged, MasterAnswer.refused(index, code, message, List.of()));
    }
}
