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
 * @param method X-HTTP-Method considered
 * @param resource an EntitySet for an insert, an EntityAddress for the other writes; a single GET may have either
 * @param headers those of the inner request
 * @param body a piece of the batch's own bytes
 * @param contentId of the inner headers, to be echoed; null if it is not there
 */
public record BatchOperation(
        Method method,
        Resource resource,
        QueryString query,
        Headers headers,
        Body body,
        @Nullable String contentId) {}
