package cleave.model;

/**
 * The answer of a codec to bytes that it cannot have written: to be caught by whoever hands stored or received bytes to a
 * codec, and turned into an answer to its own caller. Never a bug of the catcher's process.
 */
public final class Damaged extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Damaged(String message) {
        super(message);
    }

    public Damaged(String message, Throwable cause) {
        super(message, cause);
    }
}
