package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;

/**
 * The parts of a request's head that authentication depends on. Immutable.
 *
 * @param id assigned by this front end
 * @param method as on the request line
 * @param rawPath as on the request line, not decoded, without the query
 * @param account in the address, without {@code -secondary}
 * @param secure true over TLS
 * @param client the address of the client
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
