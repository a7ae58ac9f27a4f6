package cleave.frontend.protocol.odata;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JSON of tables. */
public final class TableJson {
    private static final String METADATA = "/$metadata#Tables";

    private TableJson() {}

    /** The name in the body of Create Table, checked by {@link TableName#check}. Other members are ignored. */
    public static String readCreate(Body body) {
        String name = readName(body);
        if (name == null) {
            throw ServiceError.of(ServiceCode.PROPERTIES_NEED_VALUE);
        }
        TableName.check(name);
        return name;
    }

    private static @Nullable String readName(Body body) {
        try (JsonParser json = JsonFormat.parser(body)) {
            String name = null;
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw Body.malformed("The body is no JSON object.");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean isName = json.currentName().equals(TableName.PROPERTY);
                JsonToken value = json.nextToken();
                if (!isName) {
                    json.skipChildren();
                } else if (value == JsonToken.VALUE_STRING && name == null) {
                    name = json.getText();
                } else if (value != JsonToken.VALUE_NULL) {
                    throw Body.malformed("The name of the table is no text, or there are two.");
                }
            }
            if (json.currentToken() != JsonToken.END_OBJECT || json.nextToken() != null) {
                throw Body.malformed("The body is more or less than one JSON object.");
            }
            return name;
        } catch (IOException e) {
            throw Body.malformed("The body is no well-formed JSON.");
        }
    }

    /** One table: the response to a create or get. */
    public static byte[] table(BaseUri base, MetadataLevel level, Selection selection, String name) {
        return written(json -> {
            json.writeStartObject();
            if (level != MetadataLevel.NONE) {
                json.writeStringField("odata.metadata", base.text() + METADATA + "/@Element" + selection.ofMetadata());
            }
            writeMembers(json, base, level, selection, name);
            json.writeEndObject();
        });
    }

    /** A page of tables. */
    public static byte[] list(BaseUri base, MetadataLevel level, Selection selection, List<String> names) {
        return written(json -> {
            json.writeStartObject();
            if (level != MetadataLevel.NONE) {
                json.writeStringField("odata.metadata", base.text() + METADATA + selection.ofMetadata());
            }
            json.writeArrayFieldStart("value");
            for (String name : names) {
                json.writeStartObject();
                writeMembers(json, base, level, selection, name);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /** A table has one property. As with entities, other selected properties are null. */
    private static void writeMembers(
            JsonGenerator json, BaseUri base, MetadataLevel level, Selection selection, String name)
            throws IOException {
        if (level == MetadataLevel.FULL) {
            json.writeStringField("odata.type", base.account() + ".Tables");
            json.writeStringField("odata.id", base.ofTable(name));
            json.writeStringField("odata.editLink", BaseUri.tableLink(name));
        }
        if (selection.isAll()) {
            json.writeStringField(TableName.PROPERTY, name);
        }
        for (String selected : selection.names()) {
            if (selected.equals(TableName.PROPERTY)) {
                json.writeStringField(selected, name);
            } else if (!Selection.isControl(selected)) {
                json.writeNullField(selected);
            }
        }
    }

    /** Writes a document. */
    @FunctionalInterface
    interface Content {
        void writeTo(JsonGenerator json) throws IOException;
    }

    static byte[] written(Content content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(out)) {
            content.writeTo(json);
        } catch (IOException e) {
            throw new AssertionError("writing to memory", e);
        }
        return out.toByteArray();
    }
}
