package cleave.frontend.protocol.odata;

/** The rules for the names of tables. */
public final class TableName {
    /** The only property of a table. */
    public static final String PROPERTY = "TableName";

    private static final int LENGTH_MIN = 3;
    private static final int LENGTH_MAX = 63;
    private static final String RESERVED = "tables";

    private TableName() {}

    /** True if a table may have this name. */
    public static boolean isLegal(String name) {
        return hasLegalLength(name) && hasLegalCharacters(name) && !name.equalsIgnoreCase(RESERVED);
    }

    /** Refuses an illegal name for a new table. */
    public static void check(String name) {
        if (!hasLegalLength(name)) {
            throw ServiceError.of(
                    ServiceCode.OUT_OF_RANGE_INPUT,
                    "The specified resource name length is not within the permissible limits.");
        }
        if (!hasLegalCharacters(name)) {
            throw ServiceError.of(ServiceCode.INVALID_RESOURCE_NAME);
        }
        if (name.equalsIgnoreCase(RESERVED)) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
    }

    private static boolean hasLegalLength(String name) {
        return name.length() >= LENGTH_MIN && name.length() <= LENGTH_MAX;
    }

    private static boolean hasLegalCharacters(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!isLetter && !(i > 0 && Text.isDigit(c))) {
                return false;
            }
        }
        return true;
    }
}
