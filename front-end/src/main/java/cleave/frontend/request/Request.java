package cleave.frontend.request;

import cleave.frontend.protocol.odata.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request, as received. Immutable.
 *
 * @param id assigned by this front end, in {@code x-ms-request-id}
 * @param verb as on the request line
 * @param rawPath as on the request line, not decoded, without the query
 * @param rawQuery the text after the question mark; null if there is none
 * @param scheme http or https
 * @param client the address of the client, without a port; empty if it is unknown
 */
public record Request(
        String id,
        String verb,
        String rawPath,
        @Nullable String rawQuery,
        String scheme,
        String client,
        Headers headers) {
    /** The head with a request target in origin form ({@code /path?query}) or absolute form ({@code http://host/path?query}). */
    public static Request of(String id, String verb, String target, String scheme, String client, Headers headers) {
        String local = withoutOrigin(target);
        int question = local.indexOf('?');
        return question < 0
                ? new Request(id, verb, local, null, scheme, client, headers)
                : new Request(
                        id, verb, local.substring(0, question), local.substring(question + 1), scheme, client, headers);
    }

    private static String withoutOrigin(String target) {
        if (target.startsWith("/")) {
            return target;
        }
        int authority = target.indexOf("://");
        if (authority < 0) {
            return target;
        }
        int path = target.indexOf('/', authority + 3);
        if (path >= 0) {
            return target.substring(path);
        }
        int query = target.indexOf('?', authority + 3);
        return query < 0 ? "/" : "/" + target.substring(query);
    }
}
