package cleave.frontend.protocol.odata;

import cleave.model.Key;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Writes a page of a query as JSON. Confined to one page. */
public final class EntityListWriter implements EntityPage {
    private final JsonAnswer answer;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
    private final JsonGenerator json;

    public EntityListWriter(JsonAnswer answer) {
        this.answer = answer;
        try {
            json = JsonFormat.FACTORY.createGenerator(out);
            json.writeStartObject();
            if (answer.level() != MetadataLevel.NONE) {
                json.writeFieldName(EntityJsonWriter.METADATA);
                json.writeString(answer.metadata(""));
            }
            json.writeArrayFieldStart("value");
        } catch (IOException e) {
            throw writingFailed(e);
        }
    }

    @Override
    public void add(Key key, byte[] stored) {
        try {
            json.writeStartObject();
            EntityJsonWriter.writeMembers(json, answer, key, stored);
            json.writeEndObject();
        } catch (IOException e) {
            throw writingFailed(e);
        }
    }

    @Override
    public long size() {
        return (long) out.size() + json.getOutputBuffered();
    }

    @Override
    public Payload finish() {
        try {
            json.writeEndArray();
            json.writeEndObject();
            json.close();
            return new Payload(answer.level().contentType(), out.toByteArray());
        } catch (IOException e) {
            throw writingFailed(e);
        }
    }

    private static AssertionError writingFailed(IOException e) {
        return new AssertionError("writing to memory", e);
    }
}
