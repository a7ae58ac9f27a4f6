package cleave.model;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The id of a cluster: a random UUID from its founding. Immutable.
 *
 * @param text the UUID in lower case
 */
public record ClusterId(String text) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    public ClusterId {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a cluster id (a UUID in lower case)");
        }
    }

    public UUID uuid() {
        return UUID.fromString(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
