package cleave.dfs.store;

import cleave.dfs.loop.ExtentWork;
import cleave.dfs.loop.JournalFormat;
import cleave.dfs.loop.NamesCodec;
import cleave.wire.NodeCheckpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The file that holds a node's last checkpoint: replaced as a whole, after which older segments of the journal are deleted. */
final class CheckpointFile {
    static final String NAME = "checkpoint";
    private static final String NEW_NAME = "checkpoint.new";
    private static final long MAGIC = 0x434c5643484b_0001L;
    private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES + Integer.BYTES;

    private final Disk disk;

    CheckpointFile(Disk disk) {
        this.disk = disk;
    }

    void write(ExtentWork.Checkpoint checkpoint) throws IOException {
        byte[] content = NodeCheckpoint.newBuilder()
                .setSegment(checkpoint.segment())
                .setSequence(checkpoint.sequence())
                .addAllExtents(checkpoint.extents())
                .addAllDropped(NamesCodec.wire(checkpoint.dropped()))
                .setNames(NamesCodec.wire(checkpoint.names()))
                .build()
                .toByteArray();
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + content.length);
        bytes.putLong(MAGIC).putInt(content.length).putInt(JournalFormat.checksum(ByteBuffer.wrap(content)));
        bytes.put(content).flip();
        disk.delete(NEW_NAME);
        try (Disk.File file = disk.open(NEW_NAME)) {
            file.write(0, bytes);
            file.sync();
        }
        disk.rename(NEW_NAME, NAME);
        disk.syncFolder("");
        JournalFiles.deleteBefore(disk, checkpoint.segment());
    }

    /** Null if there never was one. */
    @Nullable
    NodeCheckpoint read() throws IOException {
        if (!disk.exists(NAME)) {
            return null;
        }
        try (Disk.File file = disk.open(NAME)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(0, bytes);
            bytes.flip();
            boolean whole = bytes.remaining() >= HEADER_BYTES
                    && bytes.getLong() == MAGIC
                    && bytes.getInt() == bytes.remaining() - Integer.BYTES
                    && bytes.getInt() == JournalFormat.checksum(bytes.duplicate());
            if (!whole) {
                throw new DamagedNodeException("the checkpoint does not match its checksum");
            }
            return NodeCheckpoint.parseFrom(bytes);
        }
    }
}
