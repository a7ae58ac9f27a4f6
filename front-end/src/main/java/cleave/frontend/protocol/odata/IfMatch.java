package cleave.frontend.protocol.odata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the version of an entity. Immutable.
 *
 * @param any {@code *}: every version of it
 * @param ticks otherwise, the expected timestamp; {@link #NEVER} for a tag that no entity can have
 */
public record IfMatch(boolean any, long ticks) {
    /** A timestamp that no entity has. */
    public static final long NEVER = Long.MIN_VALUE;

    public static final IfMatch ANY = new IfMatch(true, 0);

    private static final String IF_MATCH = "If-Match";
    private static final String IF_NONE_MATCH = "If-None-Match";

    /** The condition of an update or merge; null if there is none. Refuses malformed tags and If-None-Match. */
    public static @Nullable IfMatch ofUpdate(Headers headers) {
        return ofWrite(headers, "PUT");
    }

    /** The condition of a delete; null if there is none. Refuses malformed tags and If-None-Match. */
    public static @Nullable IfMatch ofDelete(Headers headers) {
        return ofWrite(headers, "DELETE");
    }

    private static @Nullable IfMatch ofWrite(Headers headers, String verb) {
        checkNotBoth(headers);
        if (!headers.all(IF_NONE_MATCH).isEmpty()) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "If-None-Match HTTP header cannot be specified for " + verb + " operations.");
        }
        return condition(headers.all(IF_MATCH));
    }

    /** The versions that the sender of a read has already: If-None-Match. Null if there is none. Refuses malformed tags. */
    public static @Nullable IfMatch known(Headers headers) {
        checkNotBoth(headers);
        return condition(headers.all(IF_NONE_MATCH));
    }

    private static void checkNotBoth(Headers headers) {
        if (!headers.all(IF_MATCH).isEmpty() && !headers.all(IF_NONE_MATCH).isEmpty()) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify"
                            + " either one of the headers or none of them.");
        }
    }

    private static @Nullable IfMatch condition(List<String> values) {
        if (values.isEmpty()) {
            return null;
        }
        String tag = values.size() == 1 ? values.get(0) : String.join(", ", values);
        return tag.equals("*") ? ANY : new IfMatch(false, ETag.ticks(tag));
    }

    /** True of an entity with this timestamp. */
    public boolean matches(long timestamp) {
        return any || ticks == timestamp;
    }
}
