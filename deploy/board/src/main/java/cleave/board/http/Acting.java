package cleave.board.http;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What may be done from a board's page by who has the administrator's token. Immutable.
 *
 * @param token of at least 16 characters; sent in the header {@value #HEADER} of each request that acts
 * @param change changes settings of the balancer, by name, and answers all of them as JSON; fails with {@link Unusable} in the masters' words
 * @param play null: the processes and the load of this cluster are none of the board's business
 */
public record Acting(
        String token,
        Function<Map<String, String>, CompletionStage<byte[]>> change,
        @Nullable Play play) {
    /** Browsers send a header of this name to their own site alone. */
    public static final String HEADER = "Cleave-Admin";

    /** Without the token. */
    @Override
    public String toString() {
        return play == null ? "settings" : "settings and play";
    }
}
