package cleave.frontend.batch;

import cleave.frontend.odata.Body;
import cleave.frontend.odata.ResourceAddress;
import org.jspecify.annotations.Nullable;

/** Takes the body of {@code $batch} apart. */
public final class BatchParser {
    private BatchParser() {}

    /**
     * Reads a batch. An error with an {@linkplain cleave.frontend.odata.ServiceError#operation() operation} is answered inside
     * the batch response (202), one without by refusing the whole request.
     *
     * @param outer the address of the batch request itself
     */
    public static BatchRequest parse(Body body, @Nullable String contentType, ResourceAddress outer) {
        throw new UnsupportedOperationException();
    }
}
