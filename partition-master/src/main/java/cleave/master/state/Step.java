package cleave.master.state;

import cleave.wire.ErrorCode;
import java.util.List;

/** What a command makes of a state: the next state, and the answer for its sender. Immutable. */
public record Step(MasterState state, MasterAnswer answer) {
    static Step refused(MasterState unchanged, long index, ErrorCode code, String message) {
        return new Step(unchanged, MasterAnswer.refused(index, code, message, List.of()));
    }
}
