package cleave.frontend.batch;

import cleave.frontend.odata.Body;
import cleave.frontend.odata.MetadataLevel;
import cleave.frontend.odata.Prefer;
import org.jspecify.annotations.Nullable;

/** The answer to one operation of a batch: what was done. Immutable. */
public final class BatchAnswer {
    private BatchAnswer() {}

    /**
     * An insert.
     *
     * @param location of the new entity
     * @param content of a 201, at this level; empty with {@link Prefer#RETURN_NO_CONTENT}
     */
    public static BatchAnswer inserted(
            @Nullable String contentId,
            Prefer prefer,
            String location,
            long timestamp,
            MetadataLevel level,
            Body content) {
        throw new UnsupportedOperationException();
    }

    /** A replace or merge. */
    public static BatchAnswer updated(@Nullable String contentId, long timestamp) {
        throw new UnsupportedOperationException();
    }

    public static BatchAnswer deleted(@Nullable String contentId) {
        throw new UnsupportedOperationException();
    }

    /**
     * A read.
     *
     * @param etag null for a query of several entities
     * @param content JSON
     */
    public static BatchAnswer found(
            @Nullable String contentId, @Nullable String etag, MetadataLevel level, Body content) {
        throw new UnsupportedOperationException();
    }
}
