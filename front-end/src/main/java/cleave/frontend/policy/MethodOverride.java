package cleave.frontend.policy;

import cleave.frontend.odata.Headers;

/** The method that a request means, X-HTTP-Method considered. */
public final class MethodOverride {
    private MethodOverride() {}

    /** @param verb as on the request line */
    public static Method resolve(String verb, Headers headers) {
        throw new UnsupportedOperationException();
    }
}
