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

    /** The condition of an update, merge or delete; null if there is none. Refuses malformed tags and If-None-Match. */
    public static @Nullable IfMatch parse(Headers headers) {
        if (!headers.all("If-None-Match").isEmpty()) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
        return condition(headers.all("If-Match"));
    }

    /** Of a read, which versions its sender has already: If-None-Match. Null if there is none. Refuses malformed tags. */
    public static @Nullable IfMatch known(Headers headers) {
        return condition(headers.all("If-None-Match"));
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
