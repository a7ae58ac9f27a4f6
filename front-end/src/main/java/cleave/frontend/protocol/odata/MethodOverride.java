package cleave.frontend.protocol.odata;

import java.util.List;

/**
 * The method of a request, with X-HTTP-Method applied, by which clients that cannot send MERGE or PATCH tunnel them through POST. MERGE and
 * PATCH may carry the header, too: one client sends it in batches.
 */
public final class MethodOverride {
    private static final String HEADER = "X-HTTP-Method";

    private MethodOverride() {}

    /** @param verb as on the request line */
    public static Method resolve(String verb, Headers headers) {
        List<String> overrides = headers.all(HEADER);
        if (overrides.isEmpty()) {
            return method(verb);
        }
        String override = overrides.get(0);
        if (overrides.size() > 1 || override.indexOf(',') >= 0) {
            throw ServiceError.of(ServiceCode.X_METHOD_INCORRECT_COUNT);
        }
        boolean isMerge = override.equals("MERGE") || override.equals("PATCH");
        if (isMerge && (verb.equals("MERGE") || verb.equals("PATCH"))) {
            return Method.MERGE;
        }
        if (!verb.equals("POST")) {
            throw ServiceError.of(ServiceCode.X_METHOD_NOT_USING_POST);
        }
        if (!isMerge) {
            throw ServiceError.of(ServiceCode.X_METHOD_INCORRECT_VALUE);
        }
        return Method.MERGE;
    }

    private static Method method(String verb) {
        return switch (verb) {
            case "GET" -> Method.GET;
            case "HEAD" -> Method.HEAD;
            case "POST" -> Method.POST;
            case "PUT" -> Method.PUT;
            case "MERGE", "PATCH" -> Method.MERGE;
            case "DELETE" -> Method.DELETE;
            case "OPTIONS" -> Method.OPTIONS;
            default -> throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
        };
    }
}
