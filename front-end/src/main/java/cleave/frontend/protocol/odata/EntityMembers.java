package cleave.frontend.protocol.odata;

import cleave.model.Limits;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.Property;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of an entity's body as they were read, whatever its format; checks all limits. Confined to one body. Members come in any
 * order, the type of one before or after its value. Timestamp is ignored; nulls are not stored.
 */
public final class EntityMembers {
    /** The maximum of members, including nulls. A body with more is refused before it is read to its end. */
    private static final int MEMBERS_MAX = 4 * Limits.PROPERTIES_MAX;

    private final Map<String, RawValue> values = new LinkedHashMap<>();
    private final Map<String, EdmType> types = new HashMap<>(); // Never iterated.

    /** @param text null: the member is null */
    public void add(String name, @Nullable String text) {
        add(name, text == null ? RawValue.NULL : new RawValue(text));
    }

    void add(String name, RawValue value) {
        if (name.equals(Keys.TIMESTAMP)) {
            return;
        }
        checkName(name);
        if (values.put(name, value) != null) {
            throw ServiceError.of(
                    isKey(name)
                            ? ServiceCode.DUPLICATE_KEY_PROPERTY_SPECIFIED
                            : ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED);
        }
        checkCount();
    }

    /** Says of which type a member is. */
    public void annotate(String name, @Nullable String typeName) {
        if (name.equals(Keys.TIMESTAMP) || name.isEmpty()) {
            return;
        }
        EdmType type = typeName == null ? null : EdmNames.parse(typeName);
        if (type == null) {
            throw Body.malformed("The type of '" + Text.withoutLoneSurrogates(name) + "' is unknown.");
        }
        if (types.put(name, type) != null) {
            throw ServiceError.of(ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED);
        }
        checkCount();
    }

    private void checkCount() {
        if (values.size() + types.size() > MEMBERS_MAX) {
            throw ServiceError.of(ServiceCode.TOO_MANY_PROPERTIES);
        }
    }

    /** Reads the body of an insert, which has both keys. */
    public EntityBody ofInsert() {
        String partitionKey = Keys.checkInBody(Keys.PARTITION_KEY, key(Keys.PARTITION_KEY));
        String rowKey = Keys.checkInBody(Keys.ROW_KEY, key(Keys.ROW_KEY));
        return new EntityBody(partitionKey, rowKey, entity(partitionKey, rowKey));
    }

    /** Reads the body of Create Table: the name, checked by {@link TableName#check}. Other members are ignored. */
    public String ofCreate() {
        RawValue raw = values.get(TableName.PROPERTY);
        if (raw == null || !(raw.value() instanceof String name)) {
            throw ServiceError.of(ServiceCode.PROPERTIES_NEED_VALUE);
        }
        TableName.check(name);
        return name;
    }

    /**
     * Reads the body of an update or merge at an address: keys in it are optional and must be those of the address. The keys returned are
     * those of the address. An entity with keys that are too long is not found later.
     */
    public EntityBody ofUpdate(Resource.EntityAddress address) {
        checkKey(Keys.PARTITION_KEY, address.partitionKey());
        checkKey(Keys.ROW_KEY, address.rowKey());
        return new EntityBody(
                address.partitionKey(), address.rowKey(), entity(address.partitionKey(), address.rowKey()));
    }

    /** Reads as {@link #ofUpdate} does, for a write that may insert the entity: the keys must not be too long. */
    public EntityBody ofUpsert(Resource.EntityAddress address) {
        Keys.checkLength(address.partitionKey());
        Keys.checkLength(address.rowKey());
        return ofUpdate(address);
    }

    private static boolean isKey(String name) {
        return name.equals(Keys.PARTITION_KEY) || name.equals(Keys.ROW_KEY);
    }

    private static void checkName(String name) {
        if (name.length() > Limits.PROPERTY_NAME_CHARS_MAX) {
            throw ServiceError.of(ServiceCode.PROPERTY_NAME_TOO_LONG);
        }
        boolean isLegal = !name.isEmpty() && Text.isNameStart(name.charAt(0));
        for (int i = 1; i < name.length(); i++) {
            isLegal &= Text.isNamePart(name.charAt(i));
        }
        if (!isLegal) {
            throw ServiceError.of(ServiceCode.PROPERTY_NAME_INVALID);
        }
    }

    /** A key in the body; null if it is absent or null. */
    private @Nullable String key(String name) {
        RawValue raw = values.get(name);
        if (raw == null || raw.value() == null) {
            return null;
        }
        EdmType type = types.get(name);
        if (raw.value() instanceof String text && (type == null || type == EdmType.STRING)) {
            return text;
        }
        throw ServiceError.of(ServiceCode.PRIMARY_KEY_PROPERTY_IS_INVALID_TYPE);
    }

    private void checkKey(String name, String addressed) {
        String key = key(name);
        if (key != null && !key.equals(addressed)) {
            throw Body.malformed("The '" + name + "' in the body is not that of the address.");
        }
    }

    /** Checks types before sizes, and the size of the entity before those of its values, as the service does. */
    private Entity entity(String partitionKey, String rowKey) {
        List<Property> properties = new ArrayList<>(values.size());
        for (Map.Entry<String, RawValue> member : values.entrySet()) {
            Object raw = member.getValue().value();
            if (raw != null && !isKey(member.getKey())) {
                properties.add(ValueReader.property(member.getKey(), raw, types.get(member.getKey())));
            }
        }
        if (EntitySize.of(partitionKey, rowKey, properties) > Limits.ENTITY_BYTES_MAX) {
            throw ServiceError.of(ServiceCode.ENTITY_TOO_LARGE);
        }
        if (properties.size() > Limits.PROPERTIES_MAX) {
            throw ServiceError.of(ServiceCode.TOO_MANY_PROPERTIES);
        }
        properties.forEach(EntitySize::checkValue);
        return new Entity(0, properties);
    }
}
