package cleave.model.table;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.UnknownFormat;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.Property;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The registry of tables: an ordinary table, with id 0, whose PartitionKey is the account and whose RowKey is the table's
 * name in lower case. It scales, splits and moves like any data.
 *
 * @param id of the table; allocated by the master, never reused
 * @param name as it was created
 * @param deleting a Delete Table is in progress: Create answers TableBeingDeleted, lists leave it out
 * @param policies the table's stored access policies, which go with it when it is deleted
 */
public record Registry(long id, String name, boolean deleting, List<AccessPolicy> policies) {
    public static final long TABLE = 0;

    private static final String ID = "Id";
    /** The property with the name as it was created; a list's filter on TableName is evaluated on it. */
    public static final String NAME = "Name";

    public static final String DELETING = "Deleting";

    private static final String POLICIES = "Policies";

    /** An Int32 that rows of a later format will have; a row without it has the first format. */
    private static final String FORMAT = "Format";

    private static final int FIRST_FORMAT = 1;

    /** The properties of an entry without its access policies. */
    public static final List<String> WITHOUT_POLICIES = List.of(ID, NAME, DELETING, FORMAT);

    public Registry {
        policies = List.copyOf(policies);
    }

    /** A table without access policies. */
    public Registry(long id, String name, boolean deleting) {
        this(id, name, deleting, List.of());
    }

    public static Key key(String account, String name) {
        return Key.of(TABLE, account, name.toLowerCase(Locale.ROOT));
    }

    public Entity toEntity() {
        List<Property> properties = new ArrayList<>(4);
        properties.add(new Property(ID, EdmType.INT64, id));
        properties.add(new Property(NAME, EdmType.STRING, name));
        properties.add(new Property(DELETING, EdmType.BOOLEAN, deleting));
        if (!policies.isEmpty()) {
            properties.add(policiesProperty(policies));
        }
        return new Entity(0, properties);
    }

    private static Property policiesProperty(List<AccessPolicy> policies) {
        return new Property(POLICIES, EdmType.BINARY, AccessPolicy.encode(policies));
    }

    /** The only property that Delete Table changes, for a merge. */
    public static Entity markDeleting() {
        return new Entity(0, List.of(new Property(DELETING, EdmType.BOOLEAN, true)));
    }

    /** The only property that Set Table ACL changes, for a merge. */
    public static Entity replacePolicies(List<AccessPolicy> policies) {
        return new Entity(0, List.of(policiesProperty(policies)));
    }

    /** Null if the entity is no registry entry. {@link Damaged}, or {@link UnknownFormat}, if it cannot be read. */
    public static @Nullable Registry of(Entity entity) {
        Property format = entity.property(FORMAT);
        if (format != null && !Integer.valueOf(FIRST_FORMAT).equals(format.value())) {
            throw new UnknownFormat("a row of the registry has format " + format.value(), "format " + FIRST_FORMAT);
        }
        Property id = entity.property(ID);
        Property name = entity.property(NAME);
        Property deleting = entity.property(DELETING);
        if (id == null || name == null || deleting == null || !(id.value() instanceof Long number)) {
            return null;
        }
        return new Registry(number, name.value().toString(), Boolean.TRUE.equals(deleting.value()), policies(entity));
    }

    private static List<AccessPolicy> policies(Entity entity) {
        Property stored = entity.property(POLICIES);
        return stored != null && stored.value() instanceof byte[] bytes ? AccessPolicy.decode(bytes) : List.of();
    }
}
