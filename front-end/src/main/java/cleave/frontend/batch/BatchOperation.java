package cleave.frontend.batch;

import cleave.frontend.odata.Headers;
import cleave.frontend.odata.QueryString;
import cleave.frontend.odata.Resource;
import cleave.frontend.policy.EntityWrite;
import cleave.frontend.policy.Method;
import org.jspecify.annotations.Nullable;

/**
 * One request inside a batch. Immutable.
 *
 * @param method X-HTTP-Method considered
 * @param resource what it addresses
 * @param headers those of the inner request
 * @param contentId of the inner headers, to be echoed; null if it is not there
 * @param write what it writes; null for the single GET of a query
 */
public record BatchOperation(
        Method method,
        Resource resource,
        QueryString query,
        Headers headers,
        @Nullable String contentId,
        @Nullable EntityWrite write) {}
