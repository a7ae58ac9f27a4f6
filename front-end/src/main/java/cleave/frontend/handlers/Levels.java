package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.QueryString;
import org.jspecify.annotations.Nullable;

/** The metadata level of one answer. */
public final class Levels {
    private Levels() {}

    /** The level asked for. Operations of a batch may leave it out. */
    public static MetadataLevel negotiated(QueryString query, Headers headers, boolean inBatch) {
        @Nullable String format = query.value("$format");
        @Nullable String accept = headers.first("Accept");
        return inBatch && format == null && accept == null
                ? MetadataLevel.MINIMAL
                : MetadataLevel.negotiate(format, accept);
    }
}
