package cleave.server.policy;

import cleave.server.state.Effect;
import cleave.wire.ErrorCode;
import java.util.List;

/**
 * The decision on a write: its effects, or why it is refused. Immutable.
 *
 * @param code OK, or the refusal
 * @param failedOperation index of the refused operation
 * @param message for people
 * @param effects empty when refused
 * @param timestamps of each operation, 0 for a delete; empty when refused
 */
public record Judgement(
        ErrorCode code, int failedOperation, String message, List<Effect> effects, List<Long> timestamps) {
    public static Judgement refused(ErrorCode code, int operation, String message) {
        return new Judgement(code, operation, message, List.of(), List.of());
    }

    public static Judgement executed(List<Effect> effects, List<Long> timestamps) {
        return new Judgement(ErrorCode.OK, 0, "", effects, timestamps);
    }

    public boolean isExecuted() {
        return code == ErrorCode.OK;
    }
}
