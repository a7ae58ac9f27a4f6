package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.Body;
import org.jspecify.annotations.Nullable;

/** The response to a successful operation of a batch, without the headers that all such responses share. */
public sealed interface OperationResponse {
    /** The Content-ID of the inner request, to be echoed. */
    @Nullable
    String contentId();

    /** Empty if there is no content. */
    Body body();

    /**
     * The response to an insert. Immutable.
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
            implements OperationResponse {}

    /**
     * The response to another write. Immutable.
     *
     * @param etag null for a delete
     */
    record Changed(@Nullable String contentId, @Nullable String etag) implements OperationResponse {
        @Override
        public Body body() {
            return Body.EMPTY;
        }
    }

    /**
     * The response to a query. Immutable.
     *
     * @param status 200, or 304 for an entity that the client already has
     * @param etag null for a query of several entities
     * @param nextPartitionKey first part of the continuation; null on the last page
     * @param nextRowKey second part
     */
    record Found(
            int status,
            @Nullable String contentId,
            @Nullable String contentType,
            @Nullable String etag,
            @Nullable String nextPartitionKey,
            @Nullable String nextRowKey,
            Body body)
            implements OperationResponse {}
}
