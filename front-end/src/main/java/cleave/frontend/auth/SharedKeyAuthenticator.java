package cleave.frontend.auth;

import cleave.frontend.odata.Headers;
import org.jspecify.annotations.Nullable;

/** Judges the signatures of Shared Key and Shared Key Lite. Thread-safe. */
public final class SharedKeyAuthenticator {
    public SharedKeyAuthenticator(Accounts accounts) {}

    /**
     * What a signature covers. Immutable.
     *
     * @param method as on the request line
     * @param rawPath as on the request line, not decoded, without the query
     * @param rawQuery null if there is none
     * @param account that the address names
     */
    public record SignedRequest(
            String method, String rawPath, @Nullable String rawQuery, String account, Headers headers) {}

    /** Returns if the request is signed by a key of the account that it addresses, else refuses it. */
    public void check(SignedRequest request, long nowMillis) {
        throw new UnsupportedOperationException();
    }
}
