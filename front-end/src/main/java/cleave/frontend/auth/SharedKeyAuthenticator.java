package cleave.frontend.auth;

import cleave.frontend.odata.Headers;
import cleave.frontend.odata.QueryString;
import cleave.frontend.odata.ServiceCode;
import cleave.frontend.odata.ServiceError;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Judges the signatures of Shared Key and Shared Key Lite. Thread-safe. A signature counts if it fits the path as it came, or one
 * of the forms that a proxy or client may have made of it ({@link SignedPaths}), with x-ms-date or Date, with any of the
 * account's keys. An empty date is never taken: it would leave the date unsigned.
 */
public final class SharedKeyAuthenticator {
    /** How far the date of a request may be from now. */
    static final long SKEW_MILLIS_MAX = 15 * 60 * 1000L;

    private static final String FULL = "SharedKey";
    private static final String LITE = "SharedKeyLite";
    /** From this version on a request without credentials is challenged. */
    private static final String CHALLENGING_VERSION = "2020-12-06";

    private final Accounts accounts;

    public SharedKeyAuthenticator(Accounts accounts) {
        this.accounts = accounts;
    }

    /**
     * What a signature covers. Immutable.
     *
     * @param method as on the request line
     * @param rawPath as on the request line, not decoded, without the query
     * @param rawQuery null if there is none
     * @param account that the address names, without {@code -secondary}
     */
    public record SignedRequest(
            String method, String rawPath, @Nullable String rawQuery, String account, Headers headers) {}

    /** @param account that the client named */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Credentials(boolean lite, String account, byte[] signature) {}

    /** Returns if the request is signed by a key of the account that it addresses, else refuses it. */
    public void check(SignedRequest request, long nowMillis) {
        String authorization = request.headers().first("Authorization");
        if (authorization == null || authorization.isBlank()) {
            throw withoutCredentials(request);
        }
        Credentials credentials = credentials(authorization.strip());
        String account = request.account();
        if (!credentials.account.equals(account) && !credentials.account.equals(account + SignedPaths.SECONDARY)) {
            throw failed();
        }
        QueryString query = QueryString.parse(request.rawQuery());
        List<String> dates = dates(request.headers(), nowMillis);
        boolean isSigned =
                isSigned(request, credentials, dates, SignedPaths.asSent(request, query, credentials.account))
                        || isSigned(request, credentials, dates, SignedPaths.changed(request, query));
        if (!isSigned) {
            throw failed();
        }
    }

    private boolean isSigned(
            SignedRequest request, Credentials credentials, List<String> dates, Collection<String> resources) {
        for (String date : dates) {
            for (String resource : resources) {
                byte[] text = text(request, credentials.lite, date, resource);
                for (Signer signer : accounts.signers(request.account())) {
                    if (MessageDigest.isEqual(signer.sign(text), credentials.signature)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static ServiceError withoutCredentials(SignedRequest request) {
        String version = request.headers().first("x-ms-version");
        boolean isChallenged = version != null && version.compareTo(CHALLENGING_VERSION) >= 0;
        if (QueryString.parse(request.rawQuery()).contains("sig") || !isChallenged) {
            return failed();
        }
        return unauthorized();
    }

    private static ServiceError unauthorized() {
        return ServiceError.of(
                        ServiceCode.INVALID_AUTHENTICATION_INFO,
                        "Server failed to authenticate the request. Please refer to the information in the"
                                + " www-authenticate header.")
                .withStatus(401);
    }

    private static Credentials credentials(String authorization) {
        int blank = authorization.indexOf(' ');
        String scheme = blank < 0 ? authorization : authorization.substring(0, blank);
        if (scheme.equalsIgnoreCase("Bearer")) {
            throw unauthorized();
        }
        boolean isLite = scheme.equals(LITE);
        int colon = authorization.indexOf(':');
        if ((!isLite && !scheme.equals(FULL)) || blank < 0 || colon < blank) {
            throw ServiceError.of(ServiceCode.INVALID_AUTHENTICATION_INFO);
        }
        String account = authorization.substring(blank + 1, colon).strip();
        return new Credentials(isLite, account, signature(authorization.substring(colon + 1)));
    }

    private static byte[] signature(String text) {
        try {
            return Base64.getDecoder().decode(text.strip());
        } catch (IllegalArgumentException e) {
            throw failed();
        }
    }

    /** The dates that may have been signed: x-ms-date first. One that is stale or unreadable cannot have been. */
    private static List<String> dates(Headers headers, long nowMillis) {
        List<String> dates = new ArrayList<>(2);
        for (String name : List.of("x-ms-date", "Date")) {
            String date = headers.first(name);
            Long millis = date == null ? null : millis(date);
            if (date != null && millis != null && Math.abs(millis - nowMillis) <= SKEW_MILLIS_MAX) {
                dates.add(date);
            }
        }
        return dates;
    }

    private static @Nullable Long millis(String date) {
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME
                    .parse(date, Instant::from)
                    .toEpochMilli();
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static byte[] text(SignedRequest request, boolean lite, String date, String resource) {
        StringBuilder text = new StringBuilder(160);
        if (!lite) {
            text.append(request.method().toUpperCase(Locale.ROOT)).append('\n');
            text.append(orEmpty(request.headers().first("Content-MD5"))).append('\n');
            text.append(orEmpty(request.headers().first("Content-Type"))).append('\n');
        }
        text.append(date).append('\n').append(resource);
        return bytes(text.toString());
    }

    private static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    /** What is not ASCII came as bytes that were read as Latin letters; a text that cannot have come so is UTF-8. */
    private static byte[] bytes(String text) {
        boolean isLatin = text.chars().allMatch(c -> c <= 0xff);
        return text.getBytes(isLatin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static ServiceError failed() {
        return ServiceError.of(ServiceCode.AUTHENTICATION_FAILED);
    }
}
