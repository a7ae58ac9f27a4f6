package cleave.frontend.protocol.odata;

import cleave.model.Key;
import cleave.model.Ticks;
import cleave.model.entity.EdmType;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.EntityCursor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes stored entities as JSON. {@link cleave.model.Damaged} if the bytes are not an entity. */
public final class EntityJsonWriter {
    static final SerializableString METADATA = new SerializedString("odata.metadata");
    private static final SerializableString TYPE = new SerializedString("odata.type");
    private static final SerializableString ID = new SerializedString("odata.id");
    private static final SerializableString ETAG = new SerializedString("odata.etag");
    private static final SerializableString EDIT_LINK = new SerializedString("odata.editLink");
    private static final SerializableString PARTITION_KEY = new SerializedString(Keys.PARTITION_KEY);
    private static final SerializableString ROW_KEY = new SerializedString(Keys.ROW_KEY);
    private static final SerializableString TIMESTAMP = new SerializedString(Keys.TIMESTAMP);
    private static final SerializableString TIMESTAMP_TYPE = new SerializedString("Timestamp@odata.type");

    /** Smaller entities fit into the generator's own buffer, which it gives in one piece at the end. */
    private static final int ONE_PIECE = 4096;

    private EntityJsonWriter() {}

    /** One entity: the response to a point get or insert. */
    public static byte[] entity(JsonAnswer answer, Key key, byte[] stored) {
        OwnBytes out = new OwnBytes(stored.length < ONE_PIECE ? 0 : stored.length + 512);
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(out)) {
            json.writeStartObject();
            if (answer.level() != MetadataLevel.NONE) {
                json.writeFieldName(METADATA);
                json.writeString(answer.metadata("/@Element"));
            }
            writeMembers(json, answer, key, stored);
            json.writeEndObject();
        } catch (IOException e) {
            throw new AssertionError("writing to memory", e);
        }
        return out.taken();
    }

    /** What is written. If it came in one piece, for which there was no space yet, the array has its length, and needs no copy. */
    private static final class OwnBytes extends ByteArrayOutputStream {
        OwnBytes(int size) {
            super(size);
        }

        byte[] taken() {
            return count == buf.length ? buf : toByteArray();
        }
    }

    /** One entity with the types of its properties, as a request to insert it has them: in one line, without what only answers have. */
    public static String request(Key key, byte[] stored) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(stored.length + 256);
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(out)) {
            json.writeStartObject();
            json.writeFieldName(PARTITION_KEY);
            json.writeString(key.partitionKey());
            json.writeFieldName(ROW_KEY);
            json.writeString(key.rowKey());
            writeAll(json, MetadataLevel.MINIMAL, stored);
            json.writeEndObject();
        } catch (IOException e) {
            throw new AssertionError("writing to memory", e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The members of an entity, without {@code odata.metadata} and braces. */
    static void writeMembers(JsonGenerator json, JsonAnswer answer, Key key, byte[] stored) throws IOException {
        String partitionKey = key.partitionKey();
        String rowKey = key.rowKey();
        long ticks = EntityCodec.timestamp(stored);
        if (answer.level() == MetadataLevel.FULL) {
            json.writeFieldName(TYPE);
            json.writeString(answer.base().account() + "." + answer.table());
            json.writeFieldName(ID);
            json.writeString(answer.base().ofEntity(answer.table(), partitionKey, rowKey));
        }
        if (answer.level() != MetadataLevel.NONE) {
            json.writeFieldName(ETAG);
            json.writeString(ETag.format(ticks));
        }
        if (answer.level() == MetadataLevel.FULL) {
            json.writeFieldName(EDIT_LINK);
            json.writeString(BaseUri.entityLink(answer.table(), partitionKey, rowKey));
        }
        List<String> selected = answer.selection().names();
        if (selected.isEmpty() || selected.contains(Keys.PARTITION_KEY)) {
            json.writeFieldName(PARTITION_KEY);
            json.writeString(partitionKey);
        }
        if (selected.isEmpty() || selected.contains(Keys.ROW_KEY)) {
            json.writeFieldName(ROW_KEY);
            json.writeString(rowKey);
        }
        if (selected.isEmpty() || selected.contains(Keys.TIMESTAMP)) {
            writeTimestamp(json, answer.level(), ticks);
        }
        if (selected.isEmpty()) {
            writeAll(json, answer.level(), stored);
        } else {
            writeSelected(json, answer.level(), stored, selected);
        }
    }

    private static void writeTimestamp(JsonGenerator json, MetadataLevel level, long ticks) throws IOException {
        if (level == MetadataLevel.FULL) {
            json.writeFieldName(TIMESTAMP_TYPE);
            json.writeString(EdmNames.of(EdmType.DATETIME));
        }
        json.writeFieldName(TIMESTAMP);
        json.writeString(Ticks.format(ticks));
    }

    private static void writeAll(JsonGenerator json, MetadataLevel level, byte[] stored) throws IOException {
        EntityCursor cursor = new EntityCursor(stored);
        while (cursor.advance()) {
            writeProperty(json, level, stored, cursor, cursor.name());
        }
    }

    /** Selected properties that the entity lacks are null. */
    private static void writeSelected(JsonGenerator json, MetadataLevel level, byte[] stored, List<String> selected)
            throws IOException {
        boolean[] written = new boolean[selected.size()];
        EntityCursor cursor = new EntityCursor(stored);
        while (cursor.advance()) {
            String name = cursor.name();
            int index = selected.indexOf(name);
            if (index >= 0) {
                written[index] = true;
                writeProperty(json, level, stored, cursor, name);
            }
        }
        for (int i = 0; i < written.length; i++) {
            if (!written[i] && !isSystem(selected.get(i))) {
                json.writeNullField(selected.get(i));
            }
        }
    }

    private static boolean isSystem(String name) {
        return name.equals(Keys.PARTITION_KEY)
                || name.equals(Keys.ROW_KEY)
                || name.equals(Keys.TIMESTAMP)
                || Selection.isControl(name);
    }

    private static void writeProperty(
            JsonGenerator json, MetadataLevel level, byte[] stored, EntityCursor at, String name) throws IOException {
        if (level != MetadataLevel.NONE && isAnnotated(at)) {
            json.writeFieldName(name + "@odata.type");
            json.writeString(EdmNames.of(at.type()));
        }
        json.writeFieldName(name);
        switch (at.type()) {
            case STRING -> json.writeUTF8String(stored, at.valueStart(), at.valueLength());
            case BINARY -> json.writeBinary(stored, at.valueStart(), at.valueLength());
            case BOOLEAN -> json.writeBoolean(at.booleanValue());
            case INT32 -> json.writeNumber(at.intValue());
            case INT64 -> json.writeString(Long.toString(at.longValue()));
            case DOUBLE -> writeDouble(json, at.doubleValue());
            case DATETIME -> json.writeString(Ticks.format(at.longValue()));
            case GUID -> json.writeString(at.guidValue().toString());
        }
    }

    /** True if the form of the value does not imply its type. */
    private static boolean isAnnotated(EntityCursor at) {
        return switch (at.type()) {
            case STRING, BOOLEAN, INT32 -> false;
            case BINARY, INT64, DATETIME, GUID -> true;
            case DOUBLE -> !Double.isFinite(at.doubleValue());
        };
    }

    /** Always with a fraction or exponent, so that it is not read as an integer. */
    private static void writeDouble(JsonGenerator json, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumber(value);
        } else {
            json.writeString(Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        }
    }
}
