package cleave.frontend.protocol.odata;

import cleave.model.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON, by how much metadata about types and links a response contains. */
public enum MetadataLevel implements AnswerFormat {
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

    @Override
    public Payload table(BaseUri base, Selection selection, String name) {
        return new Payload(contentType, TableJson.table(base, this, selection, name));
    }

    @Override
    public Payload tables(BaseUri base, Selection selection, List<String> names) {
        return new Payload(contentType, TableJson.list(base, this, selection, names));
    }

    @Override
    public Payload entity(EntityView view, Key key, byte[] stored) {
        return new Payload(contentType, EntityJsonWriter.entity(json(view), key, stored));
    }

    @Override
    public EntityPage entities(EntityView view) {
        return new EntityListWriter(json(view));
    }

    private JsonAnswer json(EntityView view) {
        return new JsonAnswer(view.base(), view.table(), this, view.selection());
    }

    @Override
    public Payload error(ServiceCode code, String text, String requestId, long nowTicks) {
        return new Payload(contentType, ErrorBody.json(code, text, requestId, nowTicks));
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

    /** Null if the type is none of JSON that we have. */
    public static @Nullable MetadataLevel of(MediaType type) {
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
}
