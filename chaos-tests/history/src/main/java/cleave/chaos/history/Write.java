package cleave.chaos.history;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A requested write of one entity. Immutable.
 *
 * @param properties to write; empty for a delete
 * @param ifMatch the required ETag; empty for no condition
 */
public record Write(EntityKey key, OperationKind kind, Map<String, String> properties, String ifMatch) {
    public Write {
        if (kind == OperationKind.GET) {
            throw new IllegalArgumentException("a read of " + key + " writes nothing");
        }
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    @Override
    public String toString() {
        return kind + " " + key + (properties.isEmpty() ? "" : " " + properties)
                + (ifMatch.isEmpty() ? "" : " if " + ifMatch);
    }
}
