package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.ServiceError;
import org.jspecify.annotations.Nullable;

/**
 * The error that refuses a whole batch. Immutable.
 *
 * @param error of an {@linkplain ServiceError#ofOperation operation}; without an operation it is attributed to the first
 * @param contentId of the refused operation, to be echoed
 * @param preferenceApplied of a refused insert whose request stated a preference
 */
public record BatchError(
        ServiceError error,
        @Nullable String contentId,
        @Nullable String preferenceApplied) {}
