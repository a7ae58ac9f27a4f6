package cleave.dfs.node;

import com.google.protobuf.ByteString;
import java.util.List;

/** Work on the files of extents, done lazily and in order. Immutable. */
public sealed interface ExtentWork {
    /** Writes a whole block without a sync, because the journal has its bytes too. */
    record WriteBlock(long extent, long block, ByteString bytes) implements ExtentWork {}

    /**
     * Writes a large append and syncs it; the journal will only record that it is there.
     *
     * @param offset of the append in the extent
     * @param head the bytes before the offset in its block
     */
    record WriteBulk(long extent, long offset, ByteString head, ByteString payload) implements ExtentWork {}

    /** Deletes the file of an extent. */
    record DeleteFile(long extent) implements ExtentWork {}

    /**
     * Makes the state at the beginning of a segment durable outside the journal, so that older segments can be deleted:
     * writes the last blocks, syncs the extents' files, writes the checkpoint, deletes the segments.
     *
     * @param written extents with unsynced bytes in their files
     */
    record WriteCheckpoint(Checkpoint state, List<Tail> tails, List<Long> written) implements ExtentWork {
        public WriteCheckpoint {
            tails = List.copyOf(tails);
            written = List.copyOf(written);
        }
    }

    /** The incomplete last block of an extent. */
    record Tail(long extent, long block, ByteString bytes) {}
}
