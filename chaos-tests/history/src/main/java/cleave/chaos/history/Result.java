package cleave.chaos.history;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of one entity as a client learnt it. Immutable.
 *
 * @param etag of the entity written or read; empty if the answer has none
 * @param properties that were read; empty for a write
 * @param text the text of the answer
 */
public record Result(Outcome outcome, String etag, Map<String, String> properties, String text) {
    public Result {
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    public static Result of(Outcome outcome, String text) {
        return new Result(outcome, "", Map.of(), text);
    }

    public static Result written(String etag) {
        return new Result(Outcome.DONE, etag, Map.of(), "");
    }

    public static Result read(String etag, Map<String, String> properties) {
        return new Result(Outcome.DONE, etag, properties, "");
    }

    @Override
    public String toString() {
        String read = properties.isEmpty() ? "" : " " + properties;
        return outcome + read + (etag.isEmpty() ? "" : " " + etag) + (text.isEmpty() ? "" : " (" + text + ")");
    }
}
