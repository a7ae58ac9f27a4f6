package cleave.frontend.protocol.odata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a write. Immutable.
 *
 * @param any {@code *}: the entity must exist
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
        List<String> values = headers.all("If-Match");
        if (values.isEmpty()) {
            return null;
        }
        String tag = values.size() == 1 ? values.get(0) : String.join(", ", values);
        return tag.equals("*") ? ANY : new IfMatch(false, ETag.ticks(tag));
    }
}
