package cleave.frontend.request;

import cleave.frontend.protocol.atom.AtomFormat;
import cleave.frontend.protocol.atom.AtomReader;
import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityJsonReader;
import cleave.frontend.protocol.odata.EntityMembers;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.MediaType;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.ProtocolVersion;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableJson;
import org.jspecify.annotations.Nullable;

/**
 * Which formats the body and the answer of a request have. Immutable. JSON is served in all versions; those before 2015-12-11 also have
 * Atom, and have it if a request asks for nothing.
 *
 * @param version of the request; the operations of a batch have its version
 * @param nowTicks when it is answered
 */
public record PayloadFormats(ProtocolVersion version, long nowTicks) {
    static PayloadFormats of(Request request, long nowTicks) {
        return new PayloadFormats(ProtocolVersion.of(request.headers(), request.rawQuery()), nowTicks);
    }

    /** The format that a request asks for whose answer has a body. Operations of a batch need not name one. */
    public AnswerFormat negotiate(QueryString query, Headers headers, boolean inBatch) {
        @Nullable String format = query.value("$format");
        @Nullable String accept = headers.first("Accept");
        boolean isOpen = format == null && accept == null;
        return inBatch && isOpen && !version.hasAtom() ? MetadataLevel.MINIMAL : negotiate(format, accept);
    }

    private AnswerFormat negotiate(@Nullable String format, @Nullable String accept) {
        if (!version.hasAtom()) {
            return MetadataLevel.negotiate(format, accept);
        }
        String asked = format == null || format.isBlank() ? accept : format;
        if (asked == null || asked.isBlank()) {
            return new AtomFormat(nowTicks);
        }
        for (String range : asked.split(",", -1)) {
            MediaType type = MediaType.parse(range);
            if (type.isAtom() || (type.isWildcard() && !version.hasJson())) {
                return new AtomFormat(nowTicks);
            }
            MetadataLevel level = MetadataLevel.of(type);
            if (level != null) {
                return level;
            }
        }
        throw MediaType.parse(asked.split(",", 2)[0]).notSupported();
    }

    /** The format of an error, and of responses without a body: as requested, or JSON with minimal metadata. Never refuses. */
    public AnswerFormat ofError(@Nullable String format, @Nullable String accept) {
        try {
            return negotiate(format, accept);
        } catch (ServiceError e) {
            return MetadataLevel.MINIMAL;
        }
    }

    /** The format of the error of a changeset's operation: in JSON it has one level, whatever is requested. */
    public AnswerFormat ofRefusal(QueryString query, Headers headers) {
        return ofError(query.valueOrNull("$format"), headers.first("Accept")) instanceof AtomFormat atom
                ? atom
                : MetadataLevel.MINIMAL;
    }

    /** The members in the body of an entity's write. */
    public EntityMembers entity(Headers headers, Body body) {
        return isAtom(headers) ? AtomReader.read(body) : EntityJsonReader.read(body);
    }

    /** The name in the body of Create Table, checked. */
    public String tableName(Headers headers, Body body) {
        return isAtom(headers) ? AtomReader.read(body).ofCreate() : TableJson.readCreate(body);
    }

    /** Refuses a body of an unsupported type. Without a Content-Type it is JSON. */
    public void checkType(Headers headers) {
        isAtom(headers);
    }

    private boolean isAtom(Headers headers) {
        String contentType = headers.first("Content-Type");
        if (contentType == null || contentType.isBlank()) {
            return false;
        }
        MediaType type = MediaType.parse(contentType);
        if (type.isAtom() && version.hasAtom()) {
            return true;
        }
        if (!type.isJson() || type.isVerboseJson()) {
            throw type.notSupported();
        }
        return false;
    }
}
