package cleave.chaos.ycsb;

import cleave.client.JsonText;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

/** The fields of records as properties of entities: a field's bytes are the characters of a string. Stateless. */
final class Fields {
    private static final Set<String> OF_SERVICE = Set.of("PartitionKey", "RowKey", "Timestamp");

    private Fields() {}

    /** The body of an insert. It consumes the values. */
    static String entity(String partitionKey, String rowKey, Map<String, ByteIterator> values) {
        return JsonText.of(generator -> {
            generator.writeStringField("PartitionKey", partitionKey);
            generator.writeStringField("RowKey", rowKey);
            write(values, generator);
        });
    }

    /** The body of a merge or replacement. It consumes the values. */
    static String properties(Map<String, ByteIterator> values) {
        return JsonText.of(generator -> write(values, generator));
    }

    private static void write(Map<String, ByteIterator> values, JsonGenerator generator) throws IOException {
        for (Map.Entry<String, ByteIterator> field : values.entrySet()) {
            generator.writeStringField(
                    field.getKey(), new String(field.getValue().toArray(), StandardCharsets.ISO_8859_1));
        }
    }

    /**
     * Adds an entity's fields to a record.
     *
     * @param wanted null: all
     */
    static void read(
            Map<String, @Nullable Object> entity, @Nullable Set<String> wanted, Map<String, ByteIterator> record) {
        entity.forEach((name, value) -> {
            if (value != null && (wanted == null ? isField(name) : wanted.contains(name))) {
                record.put(name, new StringByteIterator(value.toString()));
            }
        });
    }

    private static boolean isField(String name) {
        return !OF_SERVICE.contains(name) && !name.startsWith("odata.") && name.indexOf('@') < 0;
    }
}
