package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;

/**
 * What of a request's head counts for who sent it. Immutable.
 *
 * @param id ours
 * @param method as on the request line
 * @param rawPath as on the request line, not decoded, without the query
 * @param account that the address names, without {@code -secondary}
 * @param secure it came over TLS
 * @param client the address that it came from
 */
public record SignedRequest(
        String id,
        String method,
        String rawPath,
        QueryString query,
        String account,
        boolean secure,
        String client,
        Headers headers) {}
