package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.service.CorsRule;
import cleave.frontend.protocol.service.ServiceProperties;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Answer.Header;
import cleave.frontend.request.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Applies the CORS rules of accounts, which are in their service properties. A request without an Origin header neither waits for the
 * rules nor causes them to be read.
 */
public final class Cors {
    private static final int OK = 200;
    private static final String ORIGIN = "Origin";

    /** The response headers that are added after the core, or by the connection. */
    private static final List<String> COMMON = List.of(
            "Cache-Control",
            "Content-Length",
            "Date",
            "Server",
            "x-ms-client-request-id",
            "x-ms-request-id",
            "x-ms-version",
            "X-Content-Type-Options");

    private Cors() {}

    /**
     * The answer to a preflight request, which has no signature and whose table need not exist.
     *
     * @param properties of the account
     */
    public static CompletableFuture<Answer> preflight(PropertiesStore properties, String account, Headers headers) {
        String origin = headers.first(ORIGIN);
        String method = headers.first("Access-Control-Request-Method");
        if (origin == null || method == null) {
            throw ServiceError.of(ServiceCode.INVALID_HEADER_VALUE);
        }
        String asked = headers.first("Access-Control-Request-Headers");
        List<String> names = entries(asked);
        return properties.recall(account).thenApply(its -> {
            for (CorsRule rule : its.rules()) {
                if (rule.allows(origin, method) && rule.allowsHeaders(names)) {
                    return Answer.plain(OK)
                            .with("Access-Control-Allow-Origin", origin)
                            .with("Access-Control-Allow-Methods", method)
                            .with("Access-Control-Allow-Headers", asked)
                            .with("Access-Control-Max-Age", Integer.toString(rule.maxAgeSeconds()))
                            .with("Access-Control-Allow-Credentials", "true");
                }
            }
            throw ServiceError.of(ServiceCode.CORS_PREFLIGHT_FAILURE);
        });
    }

    private static List<String> entries(@Nullable String list) {
        List<String> names = new ArrayList<>();
        for (String name : list == null ? new String[0] : list.split(",")) {
            if (!name.isBlank()) {
                names.add(name.strip());
            }
        }
        return names;
    }

    /** True if a request names its origin. */
    public static boolean names(Request request) {
        return request.headers().first(ORIGIN) != null;
    }

    /** True if the rules may affect the answer to a request. */
    public static boolean concerns(PropertiesStore properties, String account, Request request) {
        ServiceProperties known = properties.known(account);
        return (known != null && !known.rules().isEmpty()) || names(request);
    }

    /** The rules for a request; none if they cannot be read. */
    public static CompletableFuture<List<CorsRule>> rules(PropertiesStore properties, String account, Request request) {
        ServiceProperties known = properties.known(account);
        return known != null && !names(request)
                ? CompletableFuture.completedFuture(known.rules())
                : properties.recall(account).handle((its, failure) -> failure == null ? its.rules() : List.of());
    }

    /** The answer with the headers for browsers and caches. */
    public static Answer withCors(List<CorsRule> rules, Request request, Answer answer) {
        String origin = request.headers().first(ORIGIN);
        for (CorsRule rule : rules) {
            if (rule.allows(origin, request.verb())) {
                return allowed(rule, origin, request.verb(), answer);
            }
        }
        return rules.isEmpty() ? answer : varying(request.verb(), answer);
    }

    private static Answer allowed(CorsRule rule, @Nullable String origin, String verb, Answer answer) {
        String exposed = rule.exposed(headersOf(answer));
        Answer exposing = answer.with("Access-Control-Expose-Headers", exposed.isEmpty() ? null : exposed);
        if (rule.allowsAnyOrigin()) {
            return exposing.with("Access-Control-Allow-Origin", "*");
        }
        return varying(verb, exposing)
                .with("Access-Control-Allow-Origin", origin)
                .with("Access-Control-Allow-Credentials", "true");
    }

    private static List<String> headersOf(Answer answer) {
        List<String> names = new ArrayList<>(COMMON);
        for (Header header : answer.headers()) {
            names.add(header.name());
        }
        return names;
    }

    /** Only responses to reads are cached. */
    private static Answer varying(String verb, Answer answer) {
        boolean isRead = verb.equals("GET") || verb.equals("HEAD");
        return isRead ? answer.with("Vary", ORIGIN) : answer;
    }
}
