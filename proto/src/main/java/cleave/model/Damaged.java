package cleave.model;

/**
 * The answer of a codec to bytes that it cannot have written: to be caught by whoever hands stored or received bytes to a
 * codec, and turned into an answer to its own caller. Never a bug of the catcher's process. What another version may have written
 * is told apart by {@link UnknownFormat}.
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
