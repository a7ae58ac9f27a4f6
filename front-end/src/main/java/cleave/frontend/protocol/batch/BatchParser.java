package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.MethodOverride;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Limits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses the body of {@code $batch}: a changeset of up to 100 writes, possibly empty, or a single GET. Lenient about line ends, blank
 * lines, headers and lengths, which differ between clients. The bodies of the operations are parsed elsewhere.
 */
public final class BatchParser {
    private static final String TOO_MANY =
            "The batch request operation exceeds the maximum 100 changes per change set.";

    private static final int CONTENT_ID_LENGTH_MAX = 256;

    private BatchParser() {}

    /**
     * Reads a batch. An error with an {@linkplain ServiceError#operation() operation} is answered inside the batch response
     * (202), one without by refusing the whole request.
     *
     * @param outer the address of the batch request itself
     */
    public static BatchRequest parse(Body body, @Nullable String contentType, ResourceAddress outer) {
        if (body.length() > Limits.REQUEST_BYTES_MAX) {
            throw ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE);
        }
        String boundary = boundary(contentType);
        List<Body> parts = wellFormed(Multipart.partsUpToTheEnd(body, boundary, 1));
        if (parts.size() != 1) {
            throw refused("A batch has one changeset, or one GET and nothing else.");
        }
        Body part = parts.get(0);
        String partType = InnerRequest.mimeHeader(part, "Content-Type");
        return Multipart.boundary(partType) == null
                ? query(part, outer)
                : changeset(changes(part, boundary(partType)), outer);
    }

    /** Without its last boundary a changeset is refused: it may have lost some of its operations. */
    private static List<Body> changes(Body part, String boundary) {
        return wellFormed(Multipart.parts(part, boundary, Limits.TRANSACTION_OPERATIONS_MAX));
    }

    private static String boundary(@Nullable String contentType) {
        String boundary = Multipart.boundary(contentType);
        if (boundary == null) {
            throw refused("The Content-Type is not multipart/mixed with a boundary.");
        }
        return boundary;
    }

    private static List<Body> wellFormed(@Nullable List<Body> parts) {
        if (parts == null) {
            throw refused("The body is not well-formed multipart.");
        }
        return parts;
    }

    private static BatchRequest query(Body part, ResourceAddress outer) {
        BatchOperation operation = operation(part, outer);
        if (operation.method() != Method.GET) {
            throw refused("Outside a changeset a batch may have a GET only.");
        }
        return new BatchRequest(true, List.of(operation));
    }

    private static BatchRequest changeset(List<Body> parts, ResourceAddress outer) {
        int max = Limits.TRANSACTION_OPERATIONS_MAX;
        if (parts.size() > max) {
            throw refused(TOO_MANY).ofOperation(max - 1, parts.size());
        }
        List<BatchOperation> operations = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            BatchOperation operation = operation(parts.get(i), outer, i, parts.size());
            if (operation.method() == Method.GET) {
                throw refused("A changeset has no GET.");
            }
            operations.add(operation);
        }
        return new BatchRequest(false, operations);
    }

    private static BatchOperation operation(Body part, ResourceAddress outer, int index, int count) {
        try {
            return operation(part, outer);
        } catch (ServiceError error) {
            throw error.ofOperation(index, count);
        }
    }

    private static BatchOperation operation(Body part, ResourceAddress outer) {
        InnerRequest request = InnerRequest.read(part);
        int question = request.uri().indexOf('?');
        String address = question < 0 ? request.uri() : request.uri().substring(0, question);
        Resource written = ResourceAddress.parseInner(address, outer).resource();
        QueryString query =
                QueryString.parse(question < 0 ? null : request.uri().substring(question + 1));
        Method method = MethodOverride.resolve(request.verb(), request.headers());
        Resource resource = written.meantBy(method);
        if (resource instanceof Resource.BelowTable) {
            throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
        }
        if (!isOfEntities(resource) || query.contains("comp") || query.contains("restype")) {
            throw refused("An operation in a batch addresses no entities.");
        }
        return new BatchOperation(
                method,
                resource,
                query,
                request.headers(),
                request.body(),
                contentId(request.headers().first("Content-ID")));
    }

    private static boolean isOfEntities(Resource resource) {
        return resource instanceof Resource.EntitySet || resource instanceof Resource.EntityAddress;
    }

    /** Echoes only what is legal in a response header. */
    private static @Nullable String contentId(@Nullable String sent) {
        boolean isPlain = sent != null
                && sent.length() <= CONTENT_ID_LENGTH_MAX
                && sent.chars().allMatch(c -> c > ' ' && c < 0x7f);
        return isPlain ? sent : null;
    }

    private static ServiceError refused(String why) {
        return ServiceError.of(ServiceCode.INVALID_INPUT, why);
    }
}
