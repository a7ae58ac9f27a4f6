package cleave.frontend.protocol.service;

import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A CORS rule. Immutable. The name of a header that ends with {@code *} is a prefix.
 *
 * @param origins case-sensitive; {@code *}: every origin
 * @param methods verbs, in upper case
 * @param allowedHeaders permitted in requests
 * @param exposedHeaders of responses, visible to scripts
 */
public record CorsRule(
        List<String> origins,
        List<String> methods,
        List<String> allowedHeaders,
        List<String> exposedHeaders,
        int maxAgeSeconds) {
    private static final String ANY = "*";

    public CorsRule {
        origins = List.copyOf(origins);
        methods = List.copyOf(methods);
        allowedHeaders = List.copyOf(allowedHeaders);
        exposedHeaders = List.copyOf(exposedHeaders);
    }

    /** @param origin null: absent */
    public boolean allows(@Nullable String origin, String method) {
        return (allowsAnyOrigin() || (origin != null && origins.contains(origin))) && methods.contains(method);
    }

    public boolean allowsAnyOrigin() {
        return origins.contains(ANY);
    }

    public boolean allowsHeaders(List<String> names) {
        return names.stream().allMatch(name -> matches(allowedHeaders, name));
    }

    /** The value of Access-Control-Expose-Headers: the names of the rule, and the headers of the response that match its prefixes. */
    public String exposed(Iterable<String> ofAnswer) {
        TreeSet<String> exposed = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String pattern : exposedHeaders) {
            if (!pattern.endsWith(ANY)) {
                exposed.add(pattern);
            }
        }
        for (String name : ofAnswer) {
            if (matches(exposedHeaders, name)) {
                exposed.add(name);
            }
        }
        return String.join(",", exposed);
    }

    private static boolean matches(List<String> patterns, String name) {
        for (String pattern : patterns) {
            int last = pattern.length() - 1;
            boolean matches = pattern.endsWith(ANY)
                    ? name.regionMatches(true, 0, pattern, 0, last)
                    : name.equalsIgnoreCase(pattern);
            if (matches) {
                return true;
            }
        }
        return false;
    }
}
