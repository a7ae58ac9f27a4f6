package cleave.frontend.protocol.batch;

import cleave.frontend.protocol.odata.ServiceError;
import org.jspecify.annotations.Nullable;

/**
 * Why nothing of a batch was done. Immutable.
 *
 * @param error of an {@linkplain ServiceError#ofOperation operation}; or of none: then it counts as the first's
 * @param contentId of the refused operation's inner headers, to be echoed
 * @param preferenceApplied of a refused insert whose request stated a preference
 */
public record BatchRefusal(
        ServiceError error,
        @Nullable String contentId,
        @Nullable String preferenceApplied) {}
