package cleave.model;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The registry of tables: an ordinary table, with id 0, whose PartitionKey is the account and whose RowKey is the table's
 * name in lower case. It scales, splits and moves like any data.
 *
 * @param id of the table; allocated by the master, never reused
 * @param name as it was created
 * @param deleting a Delete Table is under way: Create answers TableBeingDeleted, lists leave it out
 */
public record Registry(long id, String name, boolean deleting) {
    public static final long TABLE = 0;

    private static final String ID = "Id";
    /** The property that holds the name as it was created: what a list's filter on TableName is evaluated on. */
    public static final String NAME = "Name";

    public static final String DELETING = "Deleting";

    public static Key key(String account, String name) {
        return Key.of(TABLE, account, name.toLowerCase(Locale.ROOT));
    }

    public Entity toEntity() {
        return new Entity(
                0,
                List.of(
                        new Property(ID, EdmType.INT64, id),
                        new Property(NAME, EdmType.STRING, name),
                        new Property(DELETING, EdmType.BOOLEAN, deleting)));
    }

    /** The only property that Delete Table changes, for a merge. */
    public static Entity markDeleting() {
        return new Entity(0, List.of(new Property(DELETING, EdmType.BOOLEAN, true)));
    }

    /** Null if the entity is no registry entry. */
    public static @Nullable Registry of(Entity entity) {
        Property id = entity.property(ID);
        Property name = entity.property(NAME);
        Property deleting = entity.property(DELETING);
        if (id == null || name == null || deleting == null || !(id.value() instanceof Long number)) {
            return null;
        }
        return new Registry(number, name.value().toString(), Boolean.TRUE.equals(deleting.value()));
    }
}
