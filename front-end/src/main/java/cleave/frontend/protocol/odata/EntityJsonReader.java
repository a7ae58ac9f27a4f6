package cleave.frontend.protocol.odata;

import cleave.model.Limits;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.Property;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON bodies of entity writes, and checks all limits. Confined to one body. Members come in any order, the annotation of a
 * type before or after its value. {@code odata.*} and Timestamp are ignored; nulls are not stored.
 */
public final class EntityJsonReader {
    private static final String TYPE = "@odata.type";
    private static final String CONTROL = "odata.";

    /** The maximum of members, including nulls. A body with more is refused before it is read to its end. */
    private static final int MEMBERS_MAX = 4 * Limits.PROPERTIES_MAX;

    private final Map<String, RawValue> values = new LinkedHashMap<>();
    private final Map<String, EdmType> types = new HashMap<>(); // Never iterated.

    private EntityJsonReader() {}

    /** The body of an insert, with both keys. */
    public static EntityBody readInsert(Body body) {
        EntityJsonReader reader = new EntityJsonReader();
        reader.read(body);
        String partitionKey = Keys.checkInBody(Keys.PARTITION_KEY, reader.key(Keys.PARTITION_KEY));
        String rowKey = Keys.checkInBody(Keys.ROW_KEY, reader.key(Keys.ROW_KEY));
        return new EntityBody(partitionKey, rowKey, reader.entity(partitionKey, rowKey));
    }

    /**
     * The body of an update or merge at an address: keys in it are optional and must be those of the address; an empty body is
     * an entity without properties. The keys returned are those of the address. An entity with keys that are too long is not found later.
     */
    public static EntityBody readUpdate(Body body, Resource.EntityAddress address) {
        EntityJsonReader reader = new EntityJsonReader();
        if (!body.isEmpty()) {
            reader.read(body);
        }
        reader.checkKey(Keys.PARTITION_KEY, address.partitionKey());
        reader.checkKey(Keys.ROW_KEY, address.rowKey());
        return new EntityBody(
                address.partitionKey(), address.rowKey(), reader.entity(address.partitionKey(), address.rowKey()));
    }

    /** As {@link #readUpdate}, for a write that may insert the entity: the keys must not be too long. */
    public static EntityBody readUpsert(Body body, Resource.EntityAddress address) {
        Keys.checkLength(address.partitionKey());
        Keys.checkLength(address.rowKey());
        return readUpdate(body, address);
    }

    private void read(Body body) {
        try (JsonParser json = JsonFormat.parser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw JsonFormat.malformed("The body is no JSON object.");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                member(json, json.currentName());
                if (values.size() + types.size() > MEMBERS_MAX) {
                    throw ServiceError.of(ServiceCode.TOO_MANY_PROPERTIES);
                }
            }
            if (json.currentToken() != JsonToken.END_OBJECT || json.nextToken() != null) {
                throw JsonFormat.malformed("The body is more or less than one JSON object.");
            }
        } catch (IOException e) {
            throw JsonFormat.malformed("The body is no well-formed JSON.");
        }
    }

    private void member(JsonParser json, String name) throws IOException {
        json.nextToken();
        if (name.endsWith(TYPE)) {
            annotation(json, name.substring(0, name.length() - TYPE.length()));
        } else if (name.startsWith(CONTROL) || name.contains("@odata.") || name.equals(Keys.TIMESTAMP)) {
            json.skipChildren();
        } else {
            checkName(name);
            if (values.put(name, RawValue.read(json, name)) != null) {
                throw ServiceError.of(
                        isKey(name)
                                ? ServiceCode.DUPLICATE_KEY_PROPERTY_SPECIFIED
                                : ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED);
            }
        }
    }

    private void annotation(JsonParser json, String name) throws IOException {
        if (name.equals(Keys.TIMESTAMP) || name.isEmpty()) {
            json.skipChildren();
            return;
        }
        EdmType type = json.currentToken() == JsonToken.VALUE_STRING ? EdmNames.parse(json.getText()) : null;
        if (type == null) {
            throw JsonFormat.malformed("The type of '" + Text.withoutLoneSurrogates(name) + "' is unknown.");
        }
        if (types.put(name, type) != null) {
            throw ServiceError.of(ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED);
        }
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
            throw JsonFormat.malformed("The '" + name + "' in the body is not that of the address.");
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
