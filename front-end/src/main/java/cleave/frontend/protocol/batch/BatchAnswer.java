package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import org.jspecify.annotations.Nullable;

/** The answer to one operation of a batch that was done, without the headers that say the same in every answer. */
public sealed interface BatchAnswer {
    /** Of the inner request's headers, to be echoed. */
    @Nullable
    String contentId();

    /** Empty if there is no content. */
    Body body();

    /**
     * To an insert. Immutable.
     *
     * @param contentType null without content
     * @param preferenceApplied null if the request stated no preference
     */
    record Inserted(
            @Nullable String contentId,
            @Nullable String contentType,
            @Nullable String preferenceApplied,
            String location,
            String etag,
            Body body)
            implements BatchAnswer {}

    /**
     * To another write. Immutable.
     *
     * @param etag null for a delete
     */
    record Changed(@Nullable String contentId, @Nullable String etag) implements BatchAnswer {
        @Override
        public Body body() {
            return Body.EMPTY;
        }
    }

    /**
     * To a query. Immutable.
     *
     * @param etag null for a query of several entities
     * @param nextPartitionKey where the next page begins; null if there is none
     * @param nextRowKey its other half
     */
    record Found(
            @Nullable String contentId,
            @Nullable String contentType,
            @Nullable String etag,
            @Nullable String nextPartitionKey,
            @Nullable String nextRowKey,
            Body body)
            implements BatchAnswer {}
}
