package cleave.frontend.odata;

/** The rules for the names of tables. */
public final class TableName {
    private TableName() {}

    /** True if a table could have this name; where it could not, it does not exist. */
    public static boolean isLegal(String name) {
        throw new UnsupportedOperationException();
    }

    /** Refuses a name that no new table may have. */
    public static void check(String name) {
        throw new UnsupportedOperationException();
    }
}
