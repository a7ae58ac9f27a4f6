package cleave.chaos.fault;

import cleave.chaos.client.Answer;
import cleave.chaos.client.JsonText;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an HTTP answer says about an operation: the one place where status codes become outcomes. Pure. */
public final class Interpretation {
    private Interpretation() {}

    public static Result of(OperationKind kind, Answer answer) {
        return switch (answer.status()) {
            case 200 -> kind == OperationKind.GET ? read(answer) : wrong(answer);
            case 201, 204 -> kind == OperationKind.GET ? wrong(answer) : Result.written(answer.etag());
            case 404 -> refusal(answer, "ResourceNotFound", Outcome.MISSING);
            case 409 -> refusal(answer, "EntityAlreadyExists", Outcome.EXISTS);
            case 412 -> refusal(answer, "UpdateConditionNotSatisfied", Outcome.CONDITION_FAILED);
            case 500 -> Result.of(Outcome.UNKNOWN, "500 " + answer.errorCode());
            case 503 -> Result.of(Outcome.NOT_EXECUTED, "503 " + answer.errorCode());
            default -> wrong(answer);
        };
    }

    private static Result read(Answer answer) {
        try {
            Map<String, String> properties = new TreeMap<>();
            for (Map.Entry<String, @Nullable Object> member :
                    JsonText.object(answer.body()).entrySet()) {
                if (isOurs(member.getKey())) {
                    properties.put(member.getKey(), String.valueOf(member.getValue()));
                }
            }
            return answer.etag().isEmpty() ? wrong(answer) : Result.read(answer.etag(), properties);
        } catch (IOException malformed) {
            return wrong(answer);
        }
    }

    /** The properties of these tests have short names; all others are the protocol's. */
    private static boolean isOurs(String name) {
        return name.length() == 1;
    }

    private static Result refusal(Answer answer, String code, Outcome outcome) {
        return answer.errorCode().equals(code) ? Result.of(outcome, "") : wrong(answer);
    }

    private static Result wrong(Answer answer) {
        return Result.of(Outcome.WRONG, answer.toString());
    }
}
