package cleave.dfs.store;

import cleave.dfs.node.Checkpoint;
import cleave.dfs.node.NodeImage;
import cleave.model.KnownFields;
import cleave.model.UnknownFormat;
import cleave.wire.NodeCheckpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.zip.CRC32C;

/**
 * The file with a node's last checkpoint. It is replaced as a whole; then older segments of the journal are deleted.
 *
 * <p>It is a magic number followed by parts, each with its length, its number and a checksum over both and its bytes,
 * and ends with an empty part. Only one part is in memory at a time. The first version was one part with another
 * header.
 */
final class CheckpointFile {
    static final String NAME = "checkpoint";
    private static final String NEW_NAME = "checkpoint.new";
    private static final long MAGIC = 0x434c5643484b_0000L;
    private static final int VERSION_MASK = 0xffff;
    private static final int IN_ONE_PART = 1;
    private static final int IN_PARTS = 2;
    private static final int HEADER_BYTES = Integer.BYTES + Integer.BYTES;

    private final Disk disk;

    CheckpointFile(Disk disk) {
        this.disk = disk;
    }

    void write(Checkpoint checkpoint) throws IOException {
        disk.delete(NEW_NAME);
        try (Disk.File file = disk.open(NEW_NAME)) {
            ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).putLong(MAGIC | IN_PARTS);
            file.write(0, magic.flip());
            long position = Long.BYTES;
            int number = 0;
            for (Iterator<NodeCheckpoint> parts = checkpoint.parts(); parts.hasNext(); number++) {
                position = writePart(file, position, number, parts.next().toByteArray());
            }
            writePart(file, position, number, new byte[0]);
            file.sync();
        }
        disk.rename(NEW_NAME, NAME);
        disk.syncFolder("");
        JournalFiles.deleteBefore(disk, checkpoint.segment());
    }

    private static long writePart(Disk.File file, long position, int number, byte[] content) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + content.length);
        bytes.putInt(content.length).putInt(checksum(number, content)).put(content);
        file.write(position, bytes.flip());
        return position + HEADER_BYTES + content.length;
    }

    private static int checksum(int number, byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(HEADER_BYTES)
                .putInt(number)
                .putInt(content.length)
                .flip());
        crc.update(content);
        return (int) crc.getValue();
    }

    /** Returns the first segment to replay; without a checkpoint, the first of all. */
    long read(NodeImage image) throws IOException {
        if (!disk.exists(NAME)) {
            return 1;
        }
        try (Disk.File file = disk.open(NAME)) {
            long magic = take(file, 0, Long.BYTES).getLong();
            int version = (int) magic & VERSION_MASK;
            if ((magic & ~VERSION_MASK) != MAGIC || version == 0) {
                throw new DamagedNodeException("the checkpoint does not begin as one");
            }
            return switch (version) {
                case IN_ONE_PART -> readOnePart(file, image);
                case IN_PARTS -> readParts(file, image);
                default ->
                    throw new UnknownFormat(
                            "the node's checkpoint has format " + version,
                            "formats " + IN_ONE_PART + " and " + IN_PARTS);
            };
        }
    }

    private static long readOnePart(Disk.File file, NodeImage image) throws IOException {
        ByteBuffer header = take(file, Long.BYTES, HEADER_BYTES);
        int length = header.getInt();
        checkWhole(length >= 0 && Long.BYTES + HEADER_BYTES + length == file.size());
        byte[] content = take(file, Long.BYTES + HEADER_BYTES, length).array();
        CRC32C crc = new CRC32C();
        crc.update(content);
        checkWhole(header.getInt() == (int) crc.getValue());
        NodeCheckpoint checkpoint = parsed(content);
        image.restore(checkpoint);
        return checkpoint.getSegment();
    }

    private static long readParts(Disk.File file, NodeImage image) throws IOException {
        long segment = 0;
        long position = Long.BYTES;
        for (int number = 0; ; number++) {
            ByteBuffer header = take(file, position, HEADER_BYTES);
            int length = header.getInt();
            checkWhole(length >= 0 && position + HEADER_BYTES + length <= file.size());
            byte[] content = take(file, position + HEADER_BYTES, length).array();
            checkWhole(header.getInt() == checksum(number, content));
            position += HEADER_BYTES + length;
            if (length == 0) {
                checkWhole(position == file.size());
                return segment;
            }
            NodeCheckpoint part = parsed(content);
            segment = Math.max(segment, part.getSegment());
            image.restore(part);
        }
    }

    private static NodeCheckpoint parsed(byte[] content) throws IOException {
        NodeCheckpoint part = NodeCheckpoint.parseFrom(content);
        KnownFields.check("the node's checkpoint", part);
        return part;
    }

    private static void checkWhole(boolean whole) throws DamagedNodeException {
        if (!whole) {
            throw new DamagedNodeException("the checkpoint does not match its checksum");
        }
    }

    private static ByteBuffer take(Disk.File file, long position, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        checkWhole(file.read(position, bytes) == length);
        return bytes.flip();
    }
}
