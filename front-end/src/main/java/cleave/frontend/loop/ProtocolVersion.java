package cleave.frontend.loop;

import cleave.frontend.odata.Headers;
import cleave.frontend.odata.ServiceCode;
import cleave.frontend.odata.ServiceError;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * The version of the protocol that a request names in {@code x-ms-version}. Any date from the first with JSON on is accepted,
 * those of the future too: a client is not refused for being newer than this server.
 */
public final class ProtocolVersion {
    private static final String HEADER = "x-ms-version";
    private static final String DEFAULT = "2019-02-02";
    private static final LocalDate FIRST_WITH_JSON = LocalDate.of(2013, 8, 15);

    private ProtocolVersion() {}

    static void check(Headers headers) {
        String version = headers.first(HEADER);
        if (version != null && !isKnown(version)) {
            throw ServiceError.of(ServiceCode.INVALID_HEADER_VALUE);
        }
    }

    /** The version to name in the answer. */
    public static String echo(Headers headers) {
        @Nullable String version = headers.first(HEADER);
        return version != null && isKnown(version) ? version : DEFAULT;
    }

    private static boolean isKnown(String version) {
        if (version.equals(DEFAULT)) {
            return true;
        }
        try {
            return version.length() == 10 && !LocalDate.parse(version).isBefore(FIRST_WITH_JSON);
        } catch (DateTimeParseException malformed) {
            return false;
        }
    }
}
