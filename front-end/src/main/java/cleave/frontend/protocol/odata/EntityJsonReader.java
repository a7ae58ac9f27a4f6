package cleave.frontend.protocol.odata;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads the JSON bodies of entity writes. {@code odata.*} and Timestamp are ignored. Stateless. */
public final class EntityJsonReader {
    private static final String TYPE = "@odata.type";
    private static final String CONTROL = "odata.";

    private EntityJsonReader() {}

    public static EntityMembers read(Body body) {
        EntityMembers members = new EntityMembers();
        try (JsonParser json = JsonFormat.parser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw Body.malformed("The body is no JSON object.");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                read(json, json.currentName(), members);
            }
            if (json.currentToken() != JsonToken.END_OBJECT || json.nextToken() != null) {
                throw Body.malformed("The body is more or less than one JSON object.");
            }
            return members;
        } catch (IOException e) {
            throw Body.malformed("The body is no well-formed JSON.");
        }
    }

    private static void read(JsonParser json, String name, EntityMembers members) throws IOException {
        json.nextToken();
        if (name.endsWith(TYPE)) {
            String type = json.currentToken() == JsonToken.VALUE_STRING ? json.getText() : null;
            json.skipChildren();
            members.annotate(name.substring(0, name.length() - TYPE.length()), type);
        } else if (name.startsWith(CONTROL) || name.contains("@odata.") || name.equals(Keys.TIMESTAMP)) {
            json.skipChildren();
        } else {
            members.add(name, RawValue.read(json, name));
        }
    }
}
