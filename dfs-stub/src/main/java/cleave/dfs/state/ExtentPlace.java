package cleave.dfs.state;

import cleave.model.Invariant;
import java.util.List;

/**
 * One extent of a file: what lies where, and how long it is. Immutable.
 *
 * @param id never reused
 * @param start of its first byte in the file
 * @param length its sealed length; {@link #OPEN} while it has none
 * @param replicas ids of the nodes that hold it
 */
public record ExtentPlace(long id, long start, long length, List<String> replicas) {
    public static final long OPEN = -1;

    public ExtentPlace {
        replicas = List.copyOf(replicas);
        Invariant.check(id > 0 && start >= 0 && length >= OPEN, "extent %s at %s of length %s", id, start, length);
        Invariant.check(!replicas.isEmpty(), "extent %s has no replica", id);
    }

    public boolean isSealed() {
        return length != OPEN;
    }

    /** Where the next extent begins; of a sealed one only. */
    public long end() {
        Invariant.check(isSealed(), "extent %s is not sealed", id);
        return start + length;
    }

    /** Whether no other replica must be asked before bytes count as acknowledged. */
    public boolean isSole() {
        return replicas.size() == 1;
    }

    ExtentPlace sealedAt(long sealedLength) {
        return new ExtentPlace(id, start, sealedLength, replicas);
    }
}
