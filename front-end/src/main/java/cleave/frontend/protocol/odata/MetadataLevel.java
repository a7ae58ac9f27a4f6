package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/** How much metadata about types and links a response contains. */
public enum MetadataLevel {
    NONE("nometadata"),
    MINIMAL("minimalmetadata"),
    FULL("fullmetadata");

    private static final MetadataLevel[] ALL = values();

    private final String wireName;
    private final String mediaType;
    private final String contentType;

    MetadataLevel(String wireName) {
        this.wireName = wireName;
        this.mediaType = "application/json;odata=" + wireName;
        this.contentType = mediaType + ";streaming=true;charset=utf-8";
    }

    /** The Content-Type of responses at this level. */
    public String contentType() {
        return contentType;
    }

    public String wireName() {
        return wireName;
    }

    /** The level that a request asks for whose answer has a body. Operations of a batch need not name one. */
    public static MetadataLevel negotiate(QueryString query, Headers headers, boolean inBatch) {
        @Nullable String format = query.value("$format");
        @Nullable String accept = headers.first("Accept");
        return inBatch && format == null && accept == null ? MINIMAL : negotiate(format, accept);
    }

    /**
     * The level that a request asks for whose answer has a body: {@code $format} wins over Accept; of several media types the
     * first that we have. With neither the documented default is Atom, which is not supported.
     */
    public static MetadataLevel negotiate(@Nullable String format, @Nullable String accept) {
        String asked = format == null || format.isBlank() ? accept : format;
        if (asked == null || asked.isBlank()) {
            throw ServiceError.of(ServiceCode.ATOM_FORMAT_NOT_SUPPORTED);
        }
        for (MetadataLevel level : ALL) {
            if (asked.equals(level.mediaType)) {
                return level; // The form of most clients needs no parsing.
            }
        }
        for (String range : asked.split(",", -1)) {
            MetadataLevel level = of(MediaType.parse(range));
            if (level != null) {
                return level;
            }
        }
        throw MediaType.parse(asked.split(",", 2)[0]).notSupported();
    }

    /** The level of an error, and of responses without a body: as requested, or minimal. Never refuses. */
    public static MetadataLevel ofError(@Nullable String format, @Nullable String accept) {
        try {
            return negotiate(format, accept);
        } catch (ServiceError e) {
            return MINIMAL;
        }
    }

    private static @Nullable MetadataLevel of(MediaType type) {
        if (type.isWildcard() || (type.isJson() && type.odata() == null)) {
            return MINIMAL;
        }
        if (type.isJson()) {
            for (MetadataLevel level : ALL) {
                if (level.wireName.equals(type.odata())) {
                    return level;
                }
            }
        }
        return null;
    }

    /** Refuses a body that is not JSON. Without a Content-Type it is JSON. */
    public static void checkContentType(@Nullable String contentType) {
        if (contentType == null || contentType.isBlank()) {
            return;
        }
        MediaType type = MediaType.parse(contentType);
        if (!type.isJson() || type.isVerboseJson()) {
            throw type.notSupported();
        }
    }
}
