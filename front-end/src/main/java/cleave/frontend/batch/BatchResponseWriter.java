package cleave.frontend.batch;

import cleave.frontend.odata.MetadataLevel;
import cleave.frontend.odata.ServiceError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts the answer to a batch together. */
public final class BatchResponseWriter {
    private BatchResponseWriter() {}

    /**
     * Every operation of the changeset was done.
     *
     * @param batchId a fresh GUID
     * @param changesetId another one
     */
    public static BatchResponse done(String batchId, String changesetId, List<BatchAnswer> answers) {
        throw new UnsupportedOperationException();
    }

    /**
     * One operation was refused, so nothing was done.
     *
     * @param error of an {@linkplain ServiceError#ofOperation operation}; or of none: then it counts as the first's
     * @param contentId of the refused operation
     */
    public static BatchResponse refused(
            String batchId,
            String changesetId,
            ServiceError error,
            @Nullable String contentId,
            String requestId,
            long nowTicks) {
        throw new UnsupportedOperationException();
    }

    /** The single GET was answered. */
    public static BatchResponse found(String batchId, BatchAnswer answer) {
        throw new UnsupportedOperationException();
    }

    /** The single GET was refused. */
    public static BatchResponse notFound(
            String batchId, ServiceError error, MetadataLevel level, String requestId, long nowTicks) {
        throw new UnsupportedOperationException();
    }
}
