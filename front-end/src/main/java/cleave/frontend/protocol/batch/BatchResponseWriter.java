package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the response to a batch, byte for byte as the service does, because clients have parsers of their own with different demands. CRLF
 * everywhere, only two MIME headers, an empty line after the headers and one after the content.
 */
public final class BatchResponseWriter {
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;
    private static final String CRLF = "\r\n";
    private static final String PART =
            "Content-Type: application/http" + CRLF + "Content-Transfer-Encoding: binary" + CRLF + CRLF;

    /** Errors of execution. In a changeset of one operation their text has no index. */
    private static final Set<ServiceCode> OF_EXECUTION = EnumSet.of(
            ServiceCode.UPDATE_CONDITION_NOT_SATISFIED,
            ServiceCode.RESOURCE_NOT_FOUND,
            ServiceCode.ENTITY_ALREADY_EXISTS,
            ServiceCode.PROPERTY_VALUE_TOO_LARGE);

    private BatchResponseWriter() {}

    /**
     * Every operation of the changeset was done.
     *
     * @param batchId a fresh GUID
     * @param changesetId another one
     */
    public static BatchResponse done(String batchId, String changesetId, List<OperationResponse> answers) {
        Output out = new Output();
        out.beginChangeset(batchId, changesetId);
        for (OperationResponse answer : answers) {
            out.text("--changesetresponse_" + changesetId + CRLF).text(PART);
            out.text(head(answer)).bytes(answer.body()).text(CRLF);
        }
        return out.endChangeset(batchId, changesetId);
    }

    /**
     * One operation was refused, so nothing was done.
     *
     * @param batchId a fresh GUID
     * @param changesetId another one
     */
    public static BatchResponse refused(
            String batchId,
            String changesetId,
            BatchError refusal,
            AnswerFormat format,
            String requestId,
            long nowTicks) {
        ServiceError error = refusal.error();
        Output out = new Output();
        out.beginChangeset(batchId, changesetId);
        out.text("--changesetresponse_" + changesetId + CRLF).text(PART);
        Payload payload = format.error(error.code(), indexed(error), requestId, nowTicks);
        out.text(errorHead(refusal, payload)).bytes(Body.of(payload.bytes())).text(CRLF);
        return out.endChangeset(batchId, changesetId);
    }

    /** The single GET was answered. */
    public static BatchResponse found(String batchId, OperationResponse.Found answer) {
        Output out = new Output();
        out.text("--batchresponse_" + batchId + CRLF).text(PART);
        out.text(head(answer)).bytes(answer.body()).text(CRLF);
        return out.endBatch(batchId);
    }

    /** The single GET was refused. Its text always has an index. */
    public static BatchResponse notFound(
            String batchId, BatchError refusal, AnswerFormat format, String requestId, long nowTicks) {
        Output out = new Output();
        out.text("--batchresponse_" + batchId + CRLF).text(PART);
        ServiceError error = refusal.error();
        Payload payload = format.error(error.code(), "0:" + error.text(), requestId, nowTicks);
        out.text(errorHead(refusal, payload)).bytes(Body.of(payload.bytes())).text(CRLF);
        return out.endBatch(batchId);
    }

    private static String indexed(ServiceError error) {
        boolean isPlain = error.operations() == 1 && OF_EXECUTION.contains(error.code());
        return isPlain ? error.text() : Math.max(0, error.operation()) + ":" + error.text();
    }

    private static String head(OperationResponse answer) {
        if (answer instanceof OperationResponse.Inserted inserted) {
            boolean hasContent = !inserted.body().isEmpty();
            Head head = new Head(hasContent ? CREATED : NO_CONTENT, inserted.contentId());
            head.line("Cache-Control", "no-cache");
            head.line("Preference-Applied", inserted.preferenceApplied());
            head.line("DataServiceVersion", dataServiceVersion(inserted.contentType()));
            head.line("Content-Type", inserted.contentType());
            head.line("Location", inserted.location());
            head.line("DataServiceId", hasContent ? null : inserted.location());
            head.line("ETag", inserted.etag());
            return head.end();
        }
        if (answer instanceof OperationResponse.Changed changed) {
            Head head = new Head(NO_CONTENT, changed.contentId());
            head.line("Cache-Control", "no-cache");
            head.line("DataServiceVersion", "1.0;");
            head.line("ETag", changed.etag());
            return head.end();
        }
        if (answer instanceof OperationResponse.Found found) {
            Head head = new Head(found.status(), found.contentId());
            head.line("Cache-Control", "no-cache");
            head.line("DataServiceVersion", dataServiceVersion(found.contentType()));
            head.line("Content-Type", found.contentType());
            head.line("ETag", found.etag());
            head.line("x-ms-continuation-NextPartitionKey", found.nextPartitionKey());
            head.line("x-ms-continuation-NextRowKey", found.nextRowKey());
            return head.end();
        }
        throw new AssertionError("unhandled answer " + answer);
    }

    /** Atom is OData 1.0, and clients that read it refuse a later one. */
    private static String dataServiceVersion(@Nullable String contentType) {
        return contentType != null && contentType.contains("xml") ? "1.0;" : "3.0;";
    }

    /** A missing table is reported before the operation is read, and so without two of the headers. */
    private static String errorHead(BatchError refusal, Payload payload) {
        Head head = new Head(refusal.error().status(), refusal.contentId());
        if (refusal.error().code() != ServiceCode.TABLE_NOT_FOUND) {
            head.line("Cache-Control", "no-cache");
            head.line("Preference-Applied", refusal.preferenceApplied());
        }
        head.line("DataServiceVersion", dataServiceVersion(payload.contentType()));
        head.line("Content-Type", payload.contentType());
        return head.end();
    }

    /** The head of an inner response. Confined to one response. */
    private static final class Head {
        private final StringBuilder text = new StringBuilder(512);

        Head(int status, @Nullable String contentId) {
            text.append("HTTP/1.1 ")
                    .append(status)
                    .append(' ')
                    .append(Reasons.of(status))
                    .append(CRLF);
            line("Content-ID", contentId);
            line("X-Content-Type-Options", "nosniff");
        }

        /** Omits empty values, at which some clients fail. */
        void line(String name, @Nullable String value) {
            if (value != null && !value.isEmpty()) {
                text.append(name).append(": ").append(value).append(CRLF);
            }
        }

        String end() {
            return text.append(CRLF).toString();
        }
    }

    /** The bytes of a response. Confined to one response. */
    private static final class Output {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);

        Output text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            out.write(bytes, 0, bytes.length);
            return this;
        }

        Output bytes(Body body) {
            out.write(body.array(), body.offset(), body.length());
            return this;
        }

        void beginChangeset(String batchId, String changesetId) {
            text("--batchresponse_" + batchId + CRLF);
            text("Content-Type: multipart/mixed; boundary=changesetresponse_" + changesetId + CRLF + CRLF);
        }

        BatchResponse endChangeset(String batchId, String changesetId) {
            text("--changesetresponse_" + changesetId + "--" + CRLF);
            return endBatch(batchId);
        }

        BatchResponse endBatch(String batchId) {
            text("--batchresponse_" + batchId + "--" + CRLF);
            return new BatchResponse("multipart/mixed; boundary=batchresponse_" + batchId, out.toByteArray());
        }
    }
}
