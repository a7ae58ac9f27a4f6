package cleave.server.state;

/**
 * A place in a range's commit logs: everything before it was applied. Immutable.
 *
 * @param path of the log
 * @param offset in bytes
 * @param sequence number that the record at the offset has; the first record of a log has 1
 */
public record LogPosition(String path, long offset, long sequence) {
    public static final long FIRST_SEQUENCE = 1;

    public static LogPosition beginningOf(String path) {
        return new LogPosition(path, 0, FIRST_SEQUENCE);
    }
}
