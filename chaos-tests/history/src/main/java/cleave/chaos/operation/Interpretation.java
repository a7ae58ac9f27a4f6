package cleave.chaos.operation;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import cleave.client.Answer;
import cleave.client.JsonText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Interprets HTTP answers: the only place where status codes become outcomes. Pure. */
public final class Interpretation {
    private static final Pattern PART = Pattern.compile("HTTP/1\\.1 (\\d+)");
    private static final Pattern PART_ETAG = Pattern.compile("ETag: (\\S+)");
    private static final Pattern INDEX = Pattern.compile("\"value\"\\s*:\\s*\"(\\d+):");
    private static final int ACCEPTED = 202;

    private Interpretation() {}

    public static Result of(OperationKind kind, Answer answer) {
        return switch (answer.status()) {
            case 200 -> kind == OperationKind.GET ? read(answer) : wrong(answer);
            case 201, 204 -> kind == OperationKind.GET ? wrong(answer) : Result.written(answer.etag());
            case 404, 409, 412 -> refusal(answer, answer.status());
            case 500 -> Result.of(Outcome.UNKNOWN, "500 " + answer.errorCode());
            case 503 -> Result.of(Outcome.NOT_EXECUTED, "503 " + answer.errorCode());
            default -> wrong(answer);
        };
    }

    private static Result read(Answer answer) {
        try {
            Map<String, String> properties = ours(JsonText.object(answer.body()));
            return answer.etag().isEmpty() ? wrong(answer) : Result.read(answer.etag(), properties);
        } catch (IOException malformed) {
            return wrong(answer);
        }
    }

    /** Properties of these tests have short names; all others belong to the protocol. */
    static Map<String, String> ours(Map<String, @Nullable Object> members) {
        Map<String, String> properties = new TreeMap<>();
        members.forEach((name, value) -> {
            if (name.length() == 1) {
                properties.put(name, String.valueOf(value));
            }
        });
        return properties;
    }

    private static Result refusal(Answer answer, int status) {
        String code = answer.errorCode();
        if (status == 404 && code.equals("ResourceNotFound")) {
            return Result.of(Outcome.MISSING, "");
        }
        if (status == 409 && code.equals("EntityAlreadyExists")) {
            return Result.of(Outcome.EXISTS, "");
        }
        return status == 412 && code.equals("UpdateConditionNotSatisfied")
                ? Result.of(Outcome.CONDITION_FAILED, "")
                : wrong(answer);
    }

    private static Result wrong(Answer answer) {
        return Result.of(Outcome.WRONG, answer.toString());
    }

    /** Interprets the answer to an entity group transaction. */
    public static Change transaction(Call call, List<Write> writes, Answer answer) {
        if (answer.status() != ACCEPTED) {
            Result whole = of(OperationKind.INSERT, answer);
            boolean isOfAll = whole.outcome() == Outcome.UNKNOWN || whole.outcome() == Outcome.NOT_EXECUTED;
            return Change.unanswered(call, writes, isOfAll ? whole.outcome() : Outcome.WRONG, whole.text());
        }
        List<Integer> starts = new ArrayList<>();
        List<Integer> statuses = new ArrayList<>();
        String text = answer.text();
        for (Matcher part = PART.matcher(text); part.find(); ) {
            starts.add(part.start());
            statuses.add(Integer.valueOf(part.group(1)));
        }
        if (statuses.size() == 1 && statuses.get(0) >= 300) {
            return refused(call, writes, answer, statuses.get(0));
        }
        List<String> etags = new ArrayList<>();
        starts.add(text.length());
        for (int i = 0; i < statuses.size(); i++) {
            Matcher etag = PART_ETAG.matcher(text.substring(starts.get(i), starts.get(i + 1)));
            etags.add(etag.find() ? etag.group(1) : "");
        }
        boolean isWhole = statuses.size() == writes.size() && statuses.stream().allMatch(status -> status < 300);
        return isWhole
                ? Change.done(call, writes, etags)
                : Change.unanswered(call, writes, Outcome.WRONG, answer.toString());
    }

    private static Change refused(Call call, List<Write> writes, Answer answer, int status) {
        Result why = refusal(answer, status);
        Matcher index = INDEX.matcher(answer.text());
        int refused = index.find() ? Integer.parseInt(index.group(1)) : writes.size() == 1 ? 0 : writes.size();
        return why.outcome() == Outcome.WRONG || refused >= writes.size()
                ? Change.unanswered(call, writes, Outcome.WRONG, answer.toString())
                : Change.refused(call, writes, refused, why.outcome());
    }
}
