package cleave.frontend.protocol.odata;

import cleave.model.Limits;
import org.jspecify.annotations.Nullable;

/** The rules for PartitionKey and RowKey. The error depends on where a rule is broken. */
public final class Keys {
    public static final String PARTITION_KEY = "PartitionKey";
    public static final String ROW_KEY = "RowKey";
    public static final String TIMESTAMP = "Timestamp";

    private static final String BAD_SYNTAX = "Bad Request - Error in query syntax.";

    private Keys() {}

    /** Refuses a key with illegal characters in an address. Its length is checked only if it is to be stored. */
    static void checkInAddress(String key) {
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c < 0x20 || c == 0x7f) {
                throw ServiceError.of(ServiceCode.INVALID_URI);
            }
            if (c == '/' || c == '\\') {
                throw badSyntax();
            }
            if (isForbidden(c) || Text.isLoneSurrogate(key, i)) {
                throw ServiceError.of(ServiceCode.OUT_OF_RANGE_INPUT);
            }
        }
    }

    /** Refuses a key in the body of an insert. */
    static String checkInBody(String property, @Nullable String key) {
        if (key == null) {
            throw ServiceError.of(ServiceCode.PROPERTIES_NEED_VALUE);
        }
        checkLength(key);
        for (int i = 0; i < key.length(); i++) {
            if (isForbidden(key.charAt(i)) || Text.isLoneSurrogate(key, i)) {
                throw ServiceError.of(
                        ServiceCode.OUT_OF_RANGE_INPUT,
                        "The '" + property + "' parameter of value '" + Text.withoutLoneSurrogates(key)
                                + "' is out of range.");
            }
        }
        return key;
    }

    /** Refuses a key that is too long to be stored. */
    public static void checkLength(String key) {
        if (key.length() > Limits.KEY_CHARS_MAX) {
            throw ServiceError.of(ServiceCode.KEY_VALUE_TOO_LARGE);
        }
    }

    private static boolean isForbidden(char c) {
        return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == '/' || c == '\\' || c == '#' || c == '?';
    }

    static ServiceError badSyntax() {
        return ServiceError.of(ServiceCode.INVALID_INPUT, BAD_SYNTAX);
    }
}
