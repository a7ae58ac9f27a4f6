package cleave.model;

/**
 * Thrown by a codec for bytes that it cannot have written: stored bytes that are corrupt, or received ones that are malformed. The
 * caller of the codec catches it and answers its own caller; it is never a bug of this process. Bytes that another version may have
 * written are {@link UnknownFormat}.
 */
public sealed class Damaged extends RuntimeException permits UnknownFormat {
    private static final long serialVersionUID = 1;

    public Damaged(String message) {
        super(message);
    }

    public Damaged(String message, Throwable cause) {
        super(message, cause);
    }
}
