package cleave.dfs.node;

import cleave.dfs.link.ExtentStatus;
import com.google.protobuf.ByteString;

/**
 * The places of requested bytes: the first of them in the extent's file, the rest here. Immutable.
 *
 * @param offset of the first byte in the extent
 * @param fromFile how many bytes to read from the file
 * @param fileEnd the end of what the file holds, which determines the length of its last block
 * @param fromMemory the bytes after those
 */
public record ReadPlan(
        ExtentStatus status, long extent, long offset, int fromFile, long fileEnd, ByteString fromMemory) {
    static ReadPlan refused(long extent, ExtentStatus status) {
        return new ReadPlan(status, extent, 0, 0, 0, ByteString.EMPTY);
    }

    static ReadPlan empty(long extent) {
        return new ReadPlan(ExtentStatus.OK, extent, 0, 0, 0, ByteString.EMPTY);
    }
}
