package cleave.frontend.http;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The length and form of a body, as its head announces them. Immutable.
 *
 * @param announcedBytes the Content-Length; {@link #UNKNOWN} without one
 * @param expectsContinue the client sends the body only after a 100 Continue
 * @param error the reason to refuse the request; null if the framing is legal
 */
record Framing(
        long announcedBytes,
        boolean expectsContinue,
        @Nullable ServiceError error) {
    static final long UNKNOWN = -1;

    /** Methods that require a body, possibly empty, and its length. */
    private static final Set<HttpMethod> NEEDS_LENGTH = Set.of(HttpMethod.POST, HttpMethod.PUT);

    static Framing of(HttpServerRequest http, Headers headers) {
        long announced = announcedBytes(headers.first("Content-Length"));
        boolean isUnknown = announced == UNKNOWN && http.version() != HttpVersion.HTTP_2;
        return new Framing(
                announced,
                http.version() != HttpVersion.HTTP_1_0 && "100-continue".equalsIgnoreCase(headers.first("Expect")),
                isUnknown ? error(http.method(), headers.first("Transfer-Encoding")) : null);
    }

    private static @Nullable ServiceError error(HttpMethod method, @Nullable String coding) {
        if (coding == null) {
            return NEEDS_LENGTH.contains(method) ? ServiceError.of(ServiceCode.MISSING_CONTENT_LENGTH_HEADER) : null;
        }
        return coding.equalsIgnoreCase("chunked")
                ? null
                : ServiceError.of(ServiceCode.NOT_IMPLEMENTED, "The only transfer coding that is known is chunked.");
    }

    /** The decoder refuses a length that is not a number. */
    private static long announcedBytes(@Nullable String length) {
        try {
            return length == null ? UNKNOWN : Long.parseLong(length);
        } catch (NumberFormatException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    boolean exceeds(long bytesMax) {
        return announcedBytes > bytesMax;
    }

    /** Refuses a body that is too large or whose end cannot be found. */
    void check(long bytesMax) {
        if (exceeds(bytesMax)) {
            throw ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE);
        }
        if (error != null) {
            throw error;
        }
    }
}
