package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityJsonWriter;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.JsonAnswer;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Prefer;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.routing.EntityWrite;
import cleave.model.Key;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;

/** The form of the response to an insert, as requested. Immutable. */
record InsertAnswer(Prefer prefer, MetadataLevel level) {
    /** Refuses unsupported forms, unless no content is requested. */
    static InsertAnswer asked(QueryString query, Headers headers, boolean inBatch) {
        Prefer prefer = Prefer.parse(headers.first("Prefer"));
        return new InsertAnswer(
                prefer,
                prefer.wantsContent() ? MetadataLevel.negotiate(query, headers, inBatch) : MetadataLevel.MINIMAL);
    }

    /** The entity as it is stored now; empty if no content is requested. */
    Body content(BaseUri base, EntityWrite write, long timestamp) {
        if (!prefer.wantsContent()) {
            return Body.EMPTY;
        }
        byte[] stored = EntityCodec.encode(new Entity(timestamp, write.entity().properties()));
        // The JSON does not contain the table's id.
        Key key = Key.of(0, write.partitionKey(), write.rowKey());
        JsonAnswer form = new JsonAnswer(base, write.table(), level, Selection.ALL);
        return Body.of(EntityJsonWriter.entity(form, key, stored));
    }

    static String location(BaseUri base, EntityWrite write) {
        return base.ofEntity(write.table(), write.partitionKey(), write.rowKey());
    }
}
