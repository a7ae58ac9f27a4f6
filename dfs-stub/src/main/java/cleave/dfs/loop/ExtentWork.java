package cleave.dfs.loop;

import com.google.protobuf.ByteString;
import java.util.List;

/** Work on the files of extents, done lazily and in order. Immutable. */
public sealed interface ExtentWork {
    /** Writes a whole block, unsynced: the journal has its bytes too. */
    record WriteBlock(long extent, long block, ByteString bytes) implements ExtentWork {}

    /**
     * Writes large appends and syncs them: the journal will only hold that they are there.
     *
     * @param offset where the payload begins in the extent
     * @param head what the block around the offset holds before it
     */
    record WriteBulk(long extent, long offset, ByteString head, ByteString payload) implements ExtentWork {}

    /** Deletes the file of an extent. */
    record DeleteFile(long extent) implements ExtentWork {}

    /**
     * Makes the state at the beginning of a segment durable without the journal before it, and frees that: writes the begun
     * blocks, syncs the extents' files, writes the checkpoint, deletes older segments.
     *
     * @param written extents with unsynced bytes in their files
     */
    record WriteCheckpoint(Checkpoint state, List<Tail> tails, List<Long> written) implements ExtentWork {
        public WriteCheckpoint {
            tails = List.copyOf(tails);
            written = List.copyOf(written);
        }
    }

    /** A begun block: the bytes of an extent behind its last whole block. */
    record Tail(long extent, long block, ByteString bytes) {}
}
