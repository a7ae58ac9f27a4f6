package cleave.frontend.protocol.odata;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The protocol version of a request, from {@code x-ms-version} or the query. Immutable. Any date since the first version that old clients
 * send is accepted, even in the future: a client is not refused for being newer than this server.
 */
public record ProtocolVersion(String date) {
    private static final String HEADER = "x-ms-version";
    /** The version of a request with a shared access signature. */
    private static final String OVERRIDE = "api-version";
    /** The version of a shared access signature, and of a request that names no other. */
    private static final String SIGNED = "sv";

    private static final String DEFAULT = "2019-02-02";
    private static final LocalDate FIRST = LocalDate.of(2009, 9, 19);
    private static final String FIRST_WITH_JSON = "2013-08-15";
    private static final String FIRST_WITHOUT_ATOM = "2015-12-11";

    public static void check(Headers headers, QueryString query) {
        String version = headers.first(HEADER);
        if (version != null && !isKnown(version)) {
            throw ServiceError.of(ServiceCode.INVALID_HEADER_VALUE);
        }
        String override = query.value(OVERRIDE);
        if (override != null && !isKnown(override)) {
            throw ServiceError.of(ServiceCode.INVALID_QUERY_PARAMETER_VALUE);
        }
    }

    /** True if bodies and answers may be Atom, which is the default then. */
    public boolean hasAtom() {
        return date.compareTo(FIRST_WITHOUT_ATOM) < 0;
    }

    /** True if the documents have JSON in this version; who asks for it gets it in any. */
    public boolean hasJson() {
        return date.compareTo(FIRST_WITH_JSON) >= 0;
    }

    /** The version of a request; never refuses. */
    public static ProtocolVersion of(Headers headers, @Nullable String rawQuery) {
        return new ProtocolVersion(echo(headers, rawQuery));
    }

    /**
     * The version to name in the response.
     *
     * @param rawQuery not decoded; null or empty: there is none
     */
    public static String echo(Headers headers, @Nullable String rawQuery) {
        boolean mayOverride = rawQuery != null && rawQuery.contains(OVERRIDE + "=");
        String version = headers.first(HEADER);
        if (!mayOverride && version != null && isKnown(version)) {
            return version;
        }
        QueryString query = QueryString.parseOrEmpty(rawQuery);
        for (String named : Arrays.asList(query.valueOrNull(OVERRIDE), version, query.valueOrNull(SIGNED))) {
            if (named != null && isKnown(named)) {
                return named;
            }
        }
        return DEFAULT;
    }

    private static boolean isKnown(String version) {
        if (version.equals(DEFAULT)) {
            return true;
        }
        try {
            return version.length() == 10 && !LocalDate.parse(version).isBefore(FIRST);
        } catch (DateTimeParseException malformed) {
            return false;
        }
    }
}
