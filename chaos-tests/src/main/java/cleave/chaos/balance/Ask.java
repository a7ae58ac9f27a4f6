package cleave.chaos.balance;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Request;
import java.util.regex.Pattern;

/**
 * A request, and what a right answer to it is. Immutable.
 *
 * @param entities that a query is to give; 0 for a transaction
 */
record Ask(Request request, int entities) {
    private static final Pattern ENTITY = Pattern.compile("\"RowKey\":");
    private static final Pattern FAILED_INSIDE = Pattern.compile("HTTP/1\\.1 [45]");

    /** A page that breaks off with a token is right, too, however little is on it. */
    boolean isRightlyAnsweredBy(Answer answer) {
        if (entities == 0) {
            return answer.status() == 202
                    && !FAILED_INSIDE.matcher(answer.text()).find();
        }
        boolean goesOn = !answer.header("x-ms-continuation-NextPartitionKey").isEmpty();
        return answer.status() == 200
                && (goesOn || ENTITY.matcher(answer.text()).results().count() == entities);
    }
}
