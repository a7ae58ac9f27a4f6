package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fields of both kinds of shared access signatures. */
final class SasFields {
    /** The first version whose signatures cover the source address and the protocol. */
    static final String WITH_SOURCE = "2015-04-05";

    private static final String FIRST = "2012-02-12";
    private static final Pattern VERSION = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private SasFields() {}

    /** The value of a field; null if it is absent or empty, which have the same signature. */
    static @Nullable String given(QueryString query, String name) {
        String value = query.value(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** The value of a field as it is signed. */
    static String signed(QueryString query, String name) {
        String value = query.value(name);
        return value == null ? "" : value;
    }

    static String version(QueryString query) {
        String version = signed(query, "sv");
        if (!VERSION.matcher(version).matches() || version.compareTo(FIRST) < 0) {
            throw AuthenticationError.failed("sv is no version from " + FIRST + " on");
        }
        return version;
    }

    /** True if all letters of a text are among these. */
    static boolean consistsOf(String text, String letters) {
        return !text.isEmpty() && text.chars().allMatch(letter -> letters.indexOf(letter) >= 0);
    }
}
