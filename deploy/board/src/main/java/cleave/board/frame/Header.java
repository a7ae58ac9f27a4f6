package cleave.board.frame;

/**
 * The first line of a recording. Immutable.
 *
 * @param by the program that wrote it
 * @param cluster the id of the cluster; empty: not known
 * @param title for people
 * @param hashed partition keys are hashes, whose order is not that of the keys
 * @param period milliseconds from one frame to the next, as it was meant
 */
public record Header(String by, String cluster, String title, boolean hashed, long period) {
    /** The version of the format that is written here, and the highest that is read. */
    public static final int VERSION = 1;
}
