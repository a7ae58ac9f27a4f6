package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.Prefer;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.request.PayloadFormats;
import cleave.frontend.routing.EntityWrite;
import cleave.model.Key;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import org.jspecify.annotations.Nullable;

/** The form of the response to an insert, as requested. Immutable. */
record InsertAnswer(Prefer prefer, AnswerFormat format) {
    /** Refuses unsupported forms, unless no content is requested. */
    static InsertAnswer asked(PayloadFormats formats, QueryString query, Headers headers, boolean inBatch) {
        Prefer prefer = Prefer.parse(headers.first("Prefer"));
        return new InsertAnswer(
                prefer, prefer.wantsContent() ? formats.negotiate(query, headers, inBatch) : MetadataLevel.MINIMAL);
    }

    /** The entity as it is stored now; null if no content is requested. */
    @Nullable
    Payload content(BaseUri base, EntityWrite write, long timestamp) {
        if (!prefer.wantsContent()) {
            return null;
        }
        byte[] stored = EntityCodec.encode(new Entity(timestamp, write.entity().properties()));
        // The answer does not contain the table's id.
        Key key = Key.of(0, write.partitionKey(), write.rowKey());
        return format.entity(new EntityView(base, write.table(), Selection.ALL), key, stored);
    }

    static String location(BaseUri base, EntityWrite write) {
        return base.ofEntity(write.table(), write.partitionKey(), write.rowKey());
    }
}
