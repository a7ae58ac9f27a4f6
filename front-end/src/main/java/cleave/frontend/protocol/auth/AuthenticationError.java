package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;

/** Errors of requests that cannot be authenticated. */
final class AuthenticationError {
    private AuthenticationError() {}

    /** @param why for operators, without secrets */
    static ServiceError failed(String why) {
        return ServiceError.of(ServiceCode.AUTHENTICATION_FAILED).because(why);
    }

    /** Answered with a challenge. */
    static ServiceError unauthorized(String why) {
        return ServiceError.of(
                        ServiceCode.INVALID_AUTHENTICATION_INFO,
                        "Server failed to authenticate the request. Please refer to the information in the"
                                + " www-authenticate header.")
                .withStatus(401)
                .because(why);
    }
}
