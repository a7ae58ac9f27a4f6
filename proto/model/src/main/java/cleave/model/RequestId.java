package cleave.model;

import java.util.UUID;

/** Names a client's request in the logs of all processes that work on it: the guid of {@code x-ms-request-id}. Immutable. */
public record RequestId(long high, long low) {
    /** The id of work that no client requested. */
    public static final RequestId NONE = new RequestId(0, 0);

    /** The form on the wire. */
    public static RequestId of(long high, long low) {
        return high == 0 && low == 0 ? NONE : new RequestId(high, low);
    }

    /** Parses a guid; {@link #NONE} if the text is not one. */
    public static RequestId of(String guid) {
        try {
            UUID parsed = UUID.fromString(guid);
            return of(parsed.getMostSignificantBits(), parsed.getLeastSignificantBits());
        } catch (IllegalArgumentException none) {
            return NONE;
        }
    }

    public boolean isNone() {
        return high == 0 && low == 0;
    }

    /** The guid; a dash if there is none. */
    @Override
    public String toString() {
        return isNone() ? "-" : new UUID(high, low).toString();
    }
}
