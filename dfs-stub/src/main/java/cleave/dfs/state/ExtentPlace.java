package cleave.dfs.state;

import cleave.model.Invariant;

/**
 * One extent of a file. Immutable.
 *
 * @param id never reused
 * @param start of its first byte in the file
 * @param length its sealed length; {@link #OPEN} while it has none
 */
public record ExtentPlace(long id, long start, long length) {
    public static final long OPEN = -1;

    public ExtentPlace {
        Invariant.check(id > 0 && start >= 0 && length >= OPEN, "extent %s at %s of length %s", id, start, length);
    }

    public boolean isSealed() {
        return length != OPEN;
    }

    /** Where the next extent begins; of a sealed one only. */
    public long end() {
        Invariant.check(isSealed(), "extent %s is not sealed", id);
        return start + length;
    }

    ExtentPlace sealedAt(long sealedLength) {
        return new ExtentPlace(id, start, sealedLength);
    }
}
