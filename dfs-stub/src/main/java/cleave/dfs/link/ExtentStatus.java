package cleave.dfs.link;

/** A node's answer about one extent. */
public enum ExtentStatus {
    OK,
    /** Ended forever. */
    FENCED,
    /** Refused forever. */
    DELETED,
    /** An extent takes an append only at its exact length. */
    WRONG_OFFSET,
    /** Its bytes or its length cannot be trusted, so no length is given. */
    DAMAGED,
    /** This node does not have the disk that the caller names. */
    WRONG_NODE,
    /** The disk is short of space, and the append is not essential. */
    NO_SPACE
}
