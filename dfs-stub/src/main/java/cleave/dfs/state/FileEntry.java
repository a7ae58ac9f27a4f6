package cleave.dfs.state;

import cleave.model.Invariant;
import java.util.Collection;
import org.pcollections.PVector;
import org.pcollections.TreePVector;

/**
 * A file and its extents. Immutable. A file has one; earlier versions added others whenever a writer had lost its
 * connection.
 *
 * <p>Invariant: all extents but the last are sealed, each begins where the one before it ends; the last is sealed exactly when
 * the file is. A file sealed before it was created has no extent.
 *
 * @param token of the command that created it: tells its repetition from a second creator
 */
public record FileEntry(String path, long token, Status status, PVector<ExtentPlace> extents) {
    /** A file's life: a file that is sealing gets no more extents, a sealed one no more bytes. */
    public enum Status {
        OPEN,
        SEALING,
        SEALED
    }

    public FileEntry {
        long start = 0;
        for (int i = 0; i < extents.size(); i++) {
            ExtentPlace extent = extents.get(i);
            Invariant.check(extent.start() == start, "extent %s of %s does not begin at %s", extent, path, start);
            if (i < extents.size() - 1) {
                start = extent.end();
            } else {
                Invariant.check(
                        extent.isSealed() == (status == Status.SEALED), "last %s of %s %s", extent, status, path);
            }
        }
        Invariant.check(!extents.isEmpty() || status == Status.SEALED, "%s is not sealed and has no extent", path);
    }

    public static FileEntry of(String path, long token, Status status, Collection<ExtentPlace> extents) {
        return new FileEntry(path, token, status, TreePVector.from(extents));
    }

    public boolean isSealed() {
        return status == Status.SEALED;
    }

    /** The only extent that may be open; of a file with extents. */
    public ExtentPlace last() {
        return extents.get(extents.size() - 1);
    }

    /** The bytes in all sealed extents: the length of a sealed file. */
    public long sealedLength() {
        if (extents.isEmpty()) {
            return 0;
        }
        return last().isSealed() ? last().end() : last().start();
    }

    FileEntry with(Status newStatus) {
        return new FileEntry(path, token, newStatus, extents);
    }

    FileEntry sealedAt(long length) {
        return new FileEntry(path, token, Status.SEALED, endingWith(last().sealedAt(length)));
    }

    /** Seals the last extent and adds one behind it. */
    FileEntry continued(long length, ExtentPlace next) {
        return new FileEntry(
                path, token, status, endingWith(last().sealedAt(length)).plus(next));
    }

    private PVector<ExtentPlace> endingWith(ExtentPlace extent) {
        return extents.with(extents.size() - 1, extent);
    }
}
