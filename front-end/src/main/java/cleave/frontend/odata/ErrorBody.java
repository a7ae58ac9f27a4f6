package cleave.frontend.odata;

/** The bodies of errors. */
public final class ErrorBody {
    /** Content-Type of the XML form. */
    public static final String XML_CONTENT_TYPE = "application/xml";

    private ErrorBody() {}

    /** {@code {"odata.error":...}} on one line, for all answers of entities and tables. */
    public static byte[] json(ServiceError error, String requestId, long nowTicks) {
        throw new UnsupportedOperationException();
    }

    /** {@code <m:error>}, for refused authorization where the client does not accept JSON. */
    public static byte[] xml(ServiceError error, String requestId, long nowTicks) {
        throw new UnsupportedOperationException();
    }
}
