package cleave.model.entity;

import cleave.model.Key;
import cleave.model.Ticks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entity without its keys, which are in its {@link Key}. Immutable.
 *
 * @param timestamp {@link Ticks}; given by the partition server at each write; the ETag is made from it
 * @param properties in the order in which they are kept; names differ
 */
public record Entity(long timestamp, List<Property> properties) {
    public Entity {
        properties = List.copyOf(properties);
    }

    public @Nullable Property property(String name) {
        for (Property property : properties) {
            if (property.name().equals(name)) {
                return property;
            }
        }
        return null;
    }
}
