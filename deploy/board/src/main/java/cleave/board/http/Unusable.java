package cleave.board.http;

/** A request that cannot be answered: its status, and a sentence for its sender. */
public final class Unusable extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    public Unusable(int status, String message) {
        super(message);
        this.status = status;
    }

    public int status() {
        return status;
    }
}
