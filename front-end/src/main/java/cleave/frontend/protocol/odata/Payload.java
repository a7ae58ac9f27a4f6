package cleave.frontend.protocol.odata;

/** The body of an answer and its Content-Type. Immutable. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Payload(String contentType, byte[] bytes) {}
