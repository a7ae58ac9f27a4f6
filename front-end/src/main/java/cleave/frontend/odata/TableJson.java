package cleave.frontend.odata;

import java.util.List;

/** The JSON of tables. */
public final class TableJson {
    private TableJson() {}

    /** The name in the body of Create Table, checked by {@link TableName#check}. */
    public static String readCreate(Body body) {
        throw new UnsupportedOperationException();
    }

    /** One table, as created or got. */
    public static byte[] table(BaseUri base, MetadataLevel level, String name) {
        throw new UnsupportedOperationException();
    }

    public static byte[] list(BaseUri base, MetadataLevel level, List<String> names) {
        throw new UnsupportedOperationException();
    }
}
