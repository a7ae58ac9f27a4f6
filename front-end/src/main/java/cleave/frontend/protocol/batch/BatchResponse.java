package cleave.frontend.protocol.batch;

/**
 * The response to a batch request, whose status is always 202. Immutable.
 *
 * @param contentType of the outer response
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record BatchResponse(String contentType, byte[] body) {}
