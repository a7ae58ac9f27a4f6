package cleave.frontend.odata;

import org.jspecify.annotations.Nullable;

/** How much an answer says about types and links. */
public enum MetadataLevel {
    NONE("nometadata"),
    MINIMAL("minimalmetadata"),
    FULL("fullmetadata");

    private final String wireName;
    private final String contentType;

    MetadataLevel(String wireName) {
        this.wireName = wireName;
        this.contentType = "application/json;odata=" + wireName + ";streaming=true;charset=utf-8";
    }

    /** The value of Content-Type of answers at this level. */
    public String contentType() {
        return contentType;
    }

    public String wireName() {
        return wireName;
    }

    /** The level that a request asks for: {@code $format} wins over Accept. */
    public static MetadataLevel negotiate(@Nullable String format, @Nullable String accept) {
        throw new UnsupportedOperationException();
    }

    /** Refuses a body that is not JSON; an absent Content-Type is taken for JSON. */
    public static void checkContentType(@Nullable String contentType) {
        throw new UnsupportedOperationException();
    }
}
