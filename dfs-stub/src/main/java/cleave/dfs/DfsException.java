package cleave.dfs;

/** Why a call of the DFS failed. */
public final class DfsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Sorted by what the caller can do. */
    public enum Reason {
        /** The path is taken: use a fresh one. */
        EXISTS,
        /** There is no such file. */
        NOT_FOUND,
        /** The file was sealed. Of an append: the sealed length shows its outcome. */
        SEALED,
        /** The file was deleted: refused forever. */
        DELETED,
        /** No node that could answer is reachable now: try again. Never the answer to an append or barrier. */
        UNAVAILABLE,
        /**
         * There is too little space for an append. The sealed length shows its outcome, as after any failed append.
         */
        NO_SPACE,
        /** Stored bytes do not match their checksum. */
        DAMAGED,
        /** The file broke, or the handle was closed. The outcome of an append is unknown until the file is sealed. */
        BROKEN,
        /** The call violates the contract, such as by a malformed path. */
        INVALID
    }

    private final Reason reason;

    public DfsException(Reason reason, String message) {
        super(reason + ": " + message);
        this.reason = reason;
    }

    public DfsException(Reason reason, String message, Throwable cause) {
        super(reason + ": " + message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
