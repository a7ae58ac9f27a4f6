package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.nio.charset.StandardCharsets;
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
 * Checks the signatures of Shared Key and Shared Key Lite. Confined to its loop. A signature is valid if it matches the path as received,
 * or one of the forms that a proxy or client may have made of it ({@link SignedPaths}), with x-ms-date or Date, and with any key of the
 * account. An empty date is not accepted, because it would leave the date unsigned.
 */
final class SharedKey {
    private static final String FULL = "SharedKey";
    private static final String LITE = "SharedKeyLite";

    private final Trace trace;
    private String readDate = "";
    private @Nullable Long readMillis;

    SharedKey(Trace trace) {
        this.trace = trace;
    }

    /** @param account as named by the client */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Credentials(boolean lite, String account, byte[] signature) {}

    /** Refuses a request that is not signed by a key of the account that it addresses. */
    void check(SignedRequest request, String authorization, Account account, long nowMillis) {
        Credentials credentials = credentials(authorization);
        if (!credentials.account.equals(account.name())
                && !credentials.account.equals(account.name() + SignedPaths.SECONDARY)) {
            throw AuthenticationError.failed("the credentials are those of another account than is addressed");
        }
        List<String> dates = dates(request.headers(), nowMillis);
        if (dates.isEmpty()) {
            throw AuthenticationError.failed("neither x-ms-date nor Date is a date within 15 minutes of now");
        }
        Collection<String> asSent = SignedPaths.asSent(request, credentials.account);
        if (!isSigned(request, credentials, account, dates, asSent)
                && !isSigned(request, credentials, account, dates, SignedPaths.changed(request))) {
            if (trace.isOn()) {
                tell(request, credentials, dates, asSent);
            }
            throw AuthenticationError.failed("the signature matches none of the account's keys");
        }
    }

    private void tell(
            SignedRequest request, Credentials credentials, List<String> dates, Collection<String> resources) {
        for (String date : dates) {
            for (String resource : resources) {
                trace.tried(request.id(), text(request, credentials.lite, date, resource));
            }
        }
    }

    private static boolean isSigned(
            SignedRequest request,
            Credentials credentials,
            Account account,
            List<String> dates,
            Collection<String> resources) {
        for (String date : dates) {
            for (String resource : resources) {
                byte[] text = bytes(text(request, credentials.lite, date, resource));
                if (account.signed(text, credentials.signature)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Credentials credentials(String authorization) {
        int blank = authorization.indexOf(' ');
        String scheme = blank < 0 ? authorization : authorization.substring(0, blank);
        boolean isLite = scheme.equals(LITE);
        int colon = authorization.indexOf(':');
        if ((!isLite && !scheme.equals(FULL)) || blank < 0 || colon < blank) {
            throw ServiceError.of(ServiceCode.INVALID_AUTHENTICATION_INFO)
                    .because("the credentials are not of the form 'SharedKey ACCOUNT:SIGNATURE'");
        }
        String account = authorization.substring(blank + 1, colon).strip();
        return new Credentials(isLite, account, signature(authorization.substring(colon + 1)));
    }

    private static byte[] signature(String text) {
        try {
            return Base64.getDecoder().decode(text.strip());
        } catch (IllegalArgumentException e) {
            throw AuthenticationError.failed("the signature is not base64");
        }
    }

    /** The dates that may have been signed, x-ms-date first. A stale or malformed date is none of them. */
    private List<String> dates(Headers headers, long nowMillis) {
        List<String> dates = new ArrayList<>(2);
        for (String name : List.of("x-ms-date", "Date")) {
            String date = headers.first(name);
            Long millis = date == null ? null : millis(date);
            if (date != null && millis != null && Math.abs(millis - nowMillis) <= Authenticator.SKEW_MILLIS_MAX) {
                dates.add(date);
            }
        }
        return dates;
    }

    /** Remembers the last date: many requests of a second have the same one, and parsing it costs more than signing. */
    private @Nullable Long millis(String date) {
        if (!date.equals(readDate)) {
            readMillis = read(date);
            readDate = date;
        }
        return readMillis;
    }

    private static @Nullable Long read(String date) {
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME
                    .parse(date, Instant::from)
                    .toEpochMilli();
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static String text(SignedRequest request, boolean lite, String date, String resource) {
        StringBuilder text = new StringBuilder(160);
        if (!lite) {
            text.append(request.method().toUpperCase(Locale.ROOT)).append('\n');
            text.append(orEmpty(request.headers().first("Content-MD5"))).append('\n');
            text.append(orEmpty(request.headers().first("Content-Type"))).append('\n');
        }
        text.append(date).append('\n').append(resource);
        return text.toString();
    }

    private static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    /** HTTP servers decode bytes as Latin-1; a text with other characters was UTF-8. */
    private static byte[] bytes(String text) {
        return text.getBytes(isLatin(text) ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static boolean isLatin(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0xff) {
                return false;
            }
        }
        return true;
    }
}
