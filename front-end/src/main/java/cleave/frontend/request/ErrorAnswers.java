package cleave.frontend.request;

import cleave.frontend.protocol.atom.AtomFormat;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.ErrorBody;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.Prefer;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.runtime.loop.Clock;
import org.jspecify.annotations.Nullable;

/** Builds the answers to refused requests. Confined to its loop. */
public final class ErrorAnswers {
    private static final int UNAUTHORIZED = 401;
    private static final String RETRY_AFTER_SECONDS = "1";

    private final Clock clock;
    private final Trace trace;
    private final String challenge;

    public ErrorAnswers(Clock clock, Trace trace, String authorizationUri) {
        this.clock = clock;
        this.trace = trace;
        this.challenge = "Bearer authorization_uri=" + authorizationUri + " resource_id=https://storage.azure.com";
    }

    /** The error of an admitted request. */
    public Answer answer(AdmittedRequest admission, ServiceError error) {
        boolean prefers = admission.operation() == Operation.INSERT || admission.operation() == Operation.CREATE_TABLE;
        Headers headers = admission.request().headers();
        String applied = prefers ? Prefer.parse(headers.first("Prefer")).applied() : null;
        return answer(
                        admission.request(),
                        admission.query(),
                        error,
                        admission.operation().speaksXml())
                .with("Preference-Applied", applied);
    }

    /** The error of a request that was not admitted. */
    public Answer answer(Request request, ServiceError error) {
        QueryString query = QueryString.parseOrEmpty(request.rawQuery());
        return answer(request, query, error, query.contains("comp"));
    }

    private Answer answer(Request request, QueryString query, ServiceError error, boolean speaksXml) {
        boolean isOfAuthorization = isOfAuthorization(error.code());
        if ((isOfAuthorization || error.reason() != null) && trace.isOn()) {
            trace.refused(request.id(), error.code().wireName() + reason(error));
        }
        boolean forReadersOfXml = speaksXml || (isOfAuthorization && !acceptsJson(request.headers()));
        // Old Java clients read the code from the header only, and fail if a refused read has none.
        Answer answer = (forReadersOfXml ? xml(request, error) : inFormat(request, query, error))
                .with("x-ms-error-code", error.code().wireName());
        return error.status() == UNAUTHORIZED ? answer.with("WWW-Authenticate", challenge) : answer;
    }

    private static String reason(ServiceError error) {
        return error.reason() == null ? "" : ": " + error.reason();
    }

    private Answer inFormat(Request request, QueryString query, ServiceError error) {
        AnswerFormat format = PayloadFormats.of(request, clock.ticks())
                .ofError(query.valueOrNull("$format"), request.headers().first("Accept"));
        Payload payload = format.error(error.code(), error.text(), request.id(), clock.ticks());
        return Answer.of(error.status(), payload).with("Retry-After", retryAfter(error));
    }

    /** Old clients do not find the code below another root than that of Atom's errors. */
    private Answer xml(Request request, ServiceError error) {
        PayloadFormats formats = PayloadFormats.of(request, clock.ticks());
        byte[] body = formats.version().hasAtom()
                ? new AtomFormat(clock.ticks())
                        .error(error.code(), error.text(), request.id(), clock.ticks())
                        .bytes()
                : ErrorBody.xml(error, request.id(), clock.ticks());
        return Answer.xml(error.status(), body).with("Retry-After", retryAfter(error));
    }

    private static @Nullable String retryAfter(ServiceError error) {
        return error.code() == ServiceCode.SERVER_BUSY ? RETRY_AFTER_SECONDS : null;
    }

    private static boolean acceptsJson(Headers headers) {
        @Nullable String accept = headers.first("Accept");
        return accept != null && accept.contains("json");
    }

    private static boolean isOfAuthorization(ServiceCode code) {
        return switch (code) {
            case AUTHENTICATION_FAILED,
                    INVALID_AUTHENTICATION_INFO,
                    ACCOUNT_IS_DISABLED,
                    ACCOUNT_REQUIRES_HTTPS,
                    AUTHORIZATION_FAILURE,
                    AUTHORIZATION_PERMISSION_MISMATCH,
                    AUTHORIZATION_PROTOCOL_MISMATCH,
                    AUTHORIZATION_RESOURCE_TYPE_MISMATCH,
                    AUTHORIZATION_SERVICE_MISMATCH,
                    AUTHORIZATION_SOURCE_IP_MISMATCH,
                    CORS_PREFLIGHT_FAILURE,
                    KEY_BASED_AUTHENTICATION_NOT_PERMITTED -> true;
            default -> false;
        };
    }
}
