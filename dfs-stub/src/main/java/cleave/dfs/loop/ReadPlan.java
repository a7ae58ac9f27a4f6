package cleave.dfs.loop;

import com.google.protobuf.ByteString;

/**
 * Where the bytes that a reader asked for are: the first of them in the extent's file, the rest here. Immutable.
 *
 * @param offset of the first byte in the extent
 * @param fromFile how many bytes to read from the file
 * @param fileEnd how much of the extent lies whole in the file: tells the length of its last block
 * @param fromMemory the bytes behind those
 */
public record ReadPlan(
        ExtentVerdict verdict, long extent, long offset, int fromFile, long fileEnd, ByteString fromMemory) {
    static ReadPlan refused(long extent, ExtentVerdict verdict) {
        return new ReadPlan(verdict, extent, 0, 0, 0, ByteString.EMPTY);
    }

    static ReadPlan empty(long extent) {
        return new ReadPlan(ExtentVerdict.OK, extent, 0, 0, 0, ByteString.EMPTY);
    }
}
