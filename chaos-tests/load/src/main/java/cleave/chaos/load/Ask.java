package cleave.chaos.load;

import cleave.client.Answer;
import cleave.client.Request;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A request and the answer that is expected. Immutable. */
public record Ask(Request request, Predicate<Answer> isRight) {
    private static final Pattern ENTITY = Pattern.compile("\"RowKey\":");
    private static final Pattern FAILED_INSIDE = Pattern.compile("HTTP/1\\.1 [45]");

    /** Success of every operation within. */
    public static Ask transaction(Request request) {
        return new Ask(
                request,
                answer -> answer.status() == 202
                        && !FAILED_INSIDE.matcher(answer.text()).find());
    }

    /** A page of that many entities, or one that ends early with a continuation token. */
    public static Ask page(Request request, int entities) {
        return new Ask(request, answer -> {
            boolean goesOn =
                    !answer.header("x-ms-continuation-NextPartitionKey").isEmpty();
            return answer.status() == 200
                    && (goesOn || ENTITY.matcher(answer.text()).results().count() == entities);
        });
    }
}
