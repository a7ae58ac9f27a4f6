package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import org.jspecify.annotations.Nullable;

/**
 * One request inside a batch. Immutable.
 *
 * @param method with X-HTTP-Method applied
 * @param resource an EntitySet for an insert, an EntityAddress for the other writes; a single GET may have either
 * @param headers those of the inner request
 * @param body a slice of the batch's body
 * @param contentId to be echoed; null if it is absent
 */
public record BatchOperation(
        Method method,
        Resource resource,
        QueryString query,
        Headers headers,
        Body body,
        @Nullable String contentId) {}
