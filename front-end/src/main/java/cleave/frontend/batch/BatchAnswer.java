package cleave.frontend.batch;

import cleave.frontend.odata.Body;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one operation of a batch, of which some headers say the same in every answer. Immutable.
 *
 * @param contentId of the inner request's headers, to be echoed
 * @param contentType of the content; null without content
 * @param preferenceApplied of an insert whose request stated a preference
 * @param insert the operation was an insert: its answer carries another DataServiceVersion
 * @param location of a new entity; given again as DataServiceId when there is no content
 * @param etag null for a delete and for a query of several entities
 * @param nextPartitionKey where the next page of a query begins; null if there is none
 * @param nextRowKey its other half
 */
public record BatchAnswer(
        int status,
        @Nullable String contentId,
        @Nullable String contentType,
        @Nullable String preferenceApplied,
        boolean insert,
        @Nullable String location,
        @Nullable String etag,
        @Nullable String nextPartitionKey,
        @Nullable String nextRowKey,
        Body body) {}
