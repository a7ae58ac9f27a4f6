package cleave.chaos.history;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One entity of a sequential store. Immutable.
 *
 * <p>The ETag of a write of unknown outcome is unknown until an answer shows it: it is {@code ?} and binds to the first
 * one that is read.
 *
 * @param properties null when there is no entity
 * @param etag empty when there is no entity
 */
record EntityState(@Nullable Map<String, String> properties, String etag) {
    static final EntityState ABSENT = new EntityState(null, "");
    static final String UNBOUND = "?";

    boolean isUnbound() {
        return etag.equals(UNBOUND);
    }

    /**
     * Why this state refuses a write; null if it does not.
     *
     * @param isOfKnownWrite true if it is known which write created the ETag in the condition
     */
    @Nullable
    Outcome refusal(Write write, boolean isOfKnownWrite) {
        return switch (write.kind()) {
            case INSERT -> properties == null ? null : Outcome.EXISTS;
            case INSERT_OR_REPLACE, INSERT_OR_MERGE -> null;
            case REPLACE, MERGE, DELETE ->
                properties == null
                        ? Outcome.MISSING
                        : meets(write.ifMatch(), isOfKnownWrite) ? null : Outcome.CONDITION_FAILED;
            case GET -> throw new AssertionError("a read is no write");
        };
    }

    private boolean meets(String ifMatch, boolean isOfKnownWrite) {
        return ifMatch.isEmpty() || ifMatch.equals(etag) || (isUnbound() && !isOfKnownWrite);
    }

    /** The state after an accepted write that creates this ETag. */
    EntityState after(Write write, String given) {
        return switch (write.kind()) {
            case DELETE -> ABSENT;
            case INSERT, REPLACE, INSERT_OR_REPLACE -> new EntityState(write.properties(), given);
            case MERGE, INSERT_OR_MERGE -> new EntityState(merged(write.properties()), given);
            case GET -> throw new AssertionError("a read is no write");
        };
    }

    private Map<String, String> merged(Map<String, String> more) {
        if (properties == null) {
            return more;
        }
        Map<String, String> merged = new TreeMap<>(properties);
        merged.putAll(more);
        return merged;
    }

    /** The state after a read with this result; null if they contradict each other. */
    @Nullable
    EntityState seenAs(Result seen, boolean isOfKnownWrite) {
        if (seen.outcome() == Outcome.MISSING) {
            return properties == null ? this : null;
        }
        if (properties == null || !properties.equals(seen.properties())) {
            return null;
        }
        if (isUnbound() && !isOfKnownWrite) {
            return new EntityState(properties, seen.etag());
        }
        return etag.equals(seen.etag()) ? this : null;
    }

    /** The hash code of a map is a sum, which collides too often. */
    @Override
    public int hashCode() {
        long hash = etag.hashCode();
        if (properties != null) {
            for (Map.Entry<String, String> property : properties.entrySet()) {
                hash += Configurations.mixed(((long) property.getKey().hashCode() << 32)
                        ^ property.getValue().hashCode());
            }
        }
        return Long.hashCode(hash);
    }

    @Override
    public String toString() {
        return properties == null ? "nothing" : properties + " " + etag;
    }
}
