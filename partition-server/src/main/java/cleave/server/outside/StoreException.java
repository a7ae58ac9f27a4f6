package cleave.server.outside;

/** A store's medium failed. The range that it belongs to closes, and is opened again from the DFS. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }

    /** With the failure of the medium. */
    public static String reason(StoreException failure) {
        Throwable cause = failure.getCause();
        return cause == null ? String.valueOf(failure.getMessage()) : failure.getMessage() + ": " + cause.getMessage();
    }
}
