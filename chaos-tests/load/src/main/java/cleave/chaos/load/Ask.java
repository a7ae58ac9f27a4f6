package cleave.chaos.load;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.Request;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A request and the answer that is expected. Immutable. */
public record Ask(Request request, Predicate<Answer> isRight) {
    private static final Pattern ENTITY = Pattern.compile("\"RowKey\":");

    /** Success, whatever it is. */
    public static Ask of(Request request) {
        return new Ask(request, Answer::isSuccess);
    }

    /** Success of every operation within. */
    public static Ask transaction(Request request) {
        return new Ask(request, Answer::isCommitted);
    }

    /** A page of that many entities, or one that ends early with a continuation token. */
    public static Ask page(Request request, int entities) {
        return new Ask(request, answer -> {
            return answer.status() == 200
                    && (Continuation.of(answer) != null
                            || ENTITY.matcher(answer.text()).results().count() == entities);
        });
    }
}
