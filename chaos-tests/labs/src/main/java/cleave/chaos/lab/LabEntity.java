package cleave.chaos.lab;

import cleave.client.JsonText;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entity as a lab writes and reads it. Immutable.
 *
 * @param properties strings, integers, longs, doubles, booleans and byte arrays by name, in order; without keys and Timestamp
 * @param etag as it was read; empty if it was not
 */
public record LabEntity(String partition, String row, Map<String, Object> properties, String etag) {
    private static final Set<String> SYSTEM = Set.of("PartitionKey", "RowKey", "Timestamp");

    public LabEntity {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** One without properties. */
    public static LabEntity of(String partition, String row) {
        return new LabEntity(partition, row, Map.of(), "");
    }

    public static LabEntity of(String partition, String row, Map<String, Object> properties) {
        return new LabEntity(partition, row, properties, "");
    }

    /** The same with one property more, or another value of it. */
    public LabEntity with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(properties);
        more.put(name, value);
        return new LabEntity(partition, row, more, etag);
    }

    /** @throws IllegalArgumentException if there are no bytes of this name */
    public byte[] bytes(String name) {
        if (properties.get(name) instanceof byte[] bytes) {
            return bytes;
        }
        throw new IllegalArgumentException(partition + "/" + row + " has no binary property " + name);
    }

    public boolean has(String name) {
        return properties.containsKey(name);
    }

    /** Its size as the service's price list counts it: 4 bytes, two a character of keys and names, 8 a property, and the values. */
    public long storedBytes() {
        long bytes = 4 + 2L * (partition.length() + row.length());
        for (Map.Entry<String, Object> property : properties.entrySet()) {
            bytes += 8 + 2L * property.getKey().length() + valueBytes(property.getValue());
        }
        return bytes;
    }

    private static long valueBytes(Object value) {
        if (value instanceof String text) {
            return 4 + 2L * text.length();
        }
        if (value instanceof byte[] bytes) {
            return 4L + bytes.length;
        }
        if (value instanceof Boolean) {
            return 1;
        }
        return value instanceof Integer ? 4 : 8;
    }

    String json() {
        return JsonText.of(json -> {
            json.writeStringField("PartitionKey", partition);
            json.writeStringField("RowKey", row);
            for (Map.Entry<String, Object> property : properties.entrySet()) {
                write(json, property.getKey(), property.getValue());
            }
        });
    }

    private static void write(JsonGenerator json, String name, Object value) throws IOException {
        if (value instanceof byte[] bytes) {
            json.writeStringField(name + "@odata.type", "Edm.Binary");
            json.writeStringField(name, Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof Long number) {
            json.writeStringField(name + "@odata.type", "Edm.Int64");
            json.writeStringField(name, number.toString());
        } else if (value instanceof Integer number) {
            json.writeNumberField(name, number);
        } else if (value instanceof Double number) {
            json.writeNumberField(name, number);
        } else if (value instanceof Boolean claim) {
            json.writeBooleanField(name, claim);
        } else if (value instanceof String text) {
            json.writeStringField(name, text);
        } else {
            throw new IllegalArgumentException(name + ": no property can be a " + value.getClass());
        }
    }

    /** Reads what a query or a get answers with minimal metadata. */
    static LabEntity read(Map<String, @Nullable Object> json, String etagHeader) {
        Map<String, Object> properties = new LinkedHashMap<>();
        String etag = etagHeader;
        for (Map.Entry<String, @Nullable Object> member : json.entrySet()) {
            String name = member.getKey();
            Object value = member.getValue();
            if (name.equals("odata.etag") && value != null) {
                etag = value.toString();
            } else if (value != null && !name.contains("odata.") && !SYSTEM.contains(name)) {
                properties.put(name, typed(value, json.get(name + "@odata.type")));
            }
        }
        return new LabEntity(key(json, "PartitionKey"), key(json, "RowKey"), properties, etag);
    }

    /** Empty if a projection left it out. */
    private static String key(Map<String, @Nullable Object> json, String name) {
        return json.get(name) instanceof String key ? key : "";
    }

    private static Object typed(Object value, @Nullable Object type) {
        if ("Edm.Binary".equals(type)) {
            return Base64.getDecoder().decode(value.toString().getBytes(StandardCharsets.US_ASCII));
        }
        if ("Edm.Int64".equals(type)) {
            return Long.valueOf(value.toString());
        }
        return value instanceof Long number && number == number.intValue() ? number.intValue() : value;
    }
}
