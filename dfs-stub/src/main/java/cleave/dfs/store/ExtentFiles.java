package cleave.dfs.store;

import cleave.dfs.DfsException;
import cleave.dfs.node.Blocks;
import cleave.dfs.node.ExtentWork;
import cleave.dfs.node.NodeImage;
import cleave.dfs.node.ReadPlan;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of extents. One thread at a time writes; reading is thread-safe. Failed work can be repeated from its
 * beginning.
 *
 * <p>A whole block is written once. An incomplete block may be written again with more bytes after the same first ones,
 * so a torn write never changes existing bytes.
 */
public final class ExtentFiles implements NodeImage.Files, AutoCloseable {
    private static final String FOLDER = "extents";
    private static final int OPEN_FILES_MAX = 64;
    private static final int BULK_BLOCKS = 64;

    private final Disk disk;
    private final CheckpointFile checkpoints;
    private final LinkedHashMap<Long, Disk.File> open = new LinkedHashMap<>(16, 0.75f, true);
    private boolean folderUnsynced = true; // An earlier process may have ended before it did this.

    public ExtentFiles(Disk disk) {
        this.disk = disk;
        this.checkpoints = new CheckpointFile(disk);
    }

    private static String name(long extent) {
        return FOLDER + "/" + extent;
    }

    public void execute(ExtentWork work) throws IOException {
        if (work instanceof ExtentWork.WriteBlock block) {
            writeBlock(file(block.extent()), block.block(), block.bytes());
        } else if (work instanceof ExtentWork.WriteBulk bulk) {
            writeBulk(bulk);
        } else if (work instanceof ExtentWork.DeleteFile delete) {
            close(delete.extent());
            disk.delete(name(delete.extent()));
        } else if (work instanceof ExtentWork.WriteCheckpoint checkpoint) {
            checkpoint(checkpoint);
        } else {
            throw new AssertionError("unhandled work " + work);
        }
    }

    /** Deletes files of unknown extents, which a crash kept from being deleted. */
    public void deleteAllBut(java.util.function.LongPredicate known) throws IOException {
        for (String name : disk.list(FOLDER)) {
            if (!known.test(Long.parseLong(name))) {
                disk.delete(FOLDER + "/" + name);
            }
        }
    }

    @Override
    public void write(ExtentWork.WriteBlock block) {
        try {
            execute(block);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public byte @Nullable [] begun(long extent, long block, int length, int checksum) {
        byte[] bytes = new byte[length];
        try {
            if (!disk.exists(name(extent))) {
                return null;
            }
            int count = file(extent).read(Blocks.positionOf(block) + Blocks.CHECKSUM_BYTES, ByteBuffer.wrap(bytes));
            return count == length && Blocks.checksum(bytes, 0, length) == checksum ? bytes : null;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Executes a plan with status OK. DAMAGED if the file lacks bytes that it should hold. */
    public ByteString read(ReadPlan plan) {
        if (plan.fromFile() == 0) {
            return plan.fromMemory();
        }
        try {
            if (!disk.exists(name(plan.extent()))) {
                throw new DfsException(DfsException.Reason.DAMAGED, "no file of extent " + plan.extent());
            }
            try (Disk.File file = disk.open(name(plan.extent()))) {
                return readBlocks(file, plan).concat(plan.fromMemory());
            }
        } catch (IOException failed) {
            throw new DfsException(DfsException.Reason.DAMAGED, "cannot read extent " + plan.extent(), failed);
        }
    }

    private static ByteString readBlocks(Disk.File file, ReadPlan plan) throws IOException {
        long until = plan.offset() + plan.fromFile();
        long first = Blocks.blockOf(plan.offset());
        long lastEnd = Math.min(plan.fileEnd(), Blocks.startOf(Blocks.blockOf(until - 1) + 1));
        int blocks = (int) (Blocks.blockOf(until - 1) - first + 1);
        byte[] bytes = new byte[(int) (lastEnd - Blocks.startOf(first)) + blocks * Blocks.CHECKSUM_BYTES];
        ByteBuffer read = ByteBuffer.wrap(bytes);
        boolean whole = file.read(Blocks.positionOf(first), read) == bytes.length;
        List<ByteString> pieces = new ArrayList<>(blocks);
        for (long block = first; whole && block < first + blocks; block++) {
            int at = (int) (Blocks.positionOf(block) - Blocks.positionOf(first));
            int length = (int) Math.min(Blocks.BYTES, lastEnd - Blocks.startOf(block));
            int start = at + Blocks.CHECKSUM_BYTES;
            whole = Blocks.checksum(bytes, start, length)
                    == ByteBuffer.wrap(bytes).getInt(at);
            int from = (int) Math.max(0, plan.offset() - Blocks.startOf(block));
            int to = (int) Math.min(length, until - Blocks.startOf(block));
            pieces.add(com.google.protobuf.UnsafeByteOperations.unsafeWrap(bytes, start + from, to - from));
        }
        if (!whole) {
            throw new DfsException(
                    DfsException.Reason.DAMAGED,
                    "extent " + plan.extent() + " between " + Blocks.startOf(first) + " and " + lastEnd);
        }
        return ByteString.copyFrom(pieces);
    }

    private static void writeBlock(Disk.File file, long block, ByteString bytes) throws IOException {
        byte[] content = bytes.toByteArray();
        ByteBuffer buffer = ByteBuffer.allocate(Blocks.CHECKSUM_BYTES + content.length);
        buffer.putInt(Blocks.checksum(content, 0, content.length)).put(content).flip();
        file.write(Blocks.positionOf(block), buffer);
    }

    private void writeBulk(ExtentWork.WriteBulk bulk) throws IOException {
        ByteString bytes = bulk.head().concat(bulk.payload());
        long block = Blocks.blockOf(bulk.offset());
        Disk.File file = file(bulk.extent());
        byte[] content = new byte[Blocks.BYTES];
        ByteBuffer buffer = ByteBuffer.allocateDirect(BULK_BLOCKS * (Blocks.BYTES + Blocks.CHECKSUM_BYTES));
        long position = Blocks.positionOf(block);
        for (int from = 0; from < bytes.size(); from += Blocks.BYTES) {
            int length = Math.min(Blocks.BYTES, bytes.size() - from);
            bytes.substring(from, from + length).copyTo(content, 0);
            buffer.putInt(Blocks.checksum(content, 0, length)).put(content, 0, length);
            if (buffer.remaining() < Blocks.BYTES + Blocks.CHECKSUM_BYTES || from + length == bytes.size()) {
                buffer.flip();
                int count = buffer.remaining();
                file.write(position, buffer);
                position += count;
                buffer.clear();
            }
        }
        file.sync();
        syncFolder();
    }

    private void checkpoint(ExtentWork.WriteCheckpoint checkpoint) throws IOException {
        for (ExtentWork.Tail tail : checkpoint.tails()) {
            writeBlock(file(tail.extent()), tail.block(), tail.bytes());
        }
        for (long extent : checkpoint.written()) {
            if (disk.exists(name(extent))) {
                file(extent).sync();
            }
        }
        syncFolder();
        checkpoints.write(checkpoint.state());
    }

    private void syncFolder() throws IOException {
        if (folderUnsynced) {
            disk.syncFolder(FOLDER);
            folderUnsynced = false;
        }
    }

    private Disk.File file(long extent) throws IOException {
        Disk.File file = open.get(extent);
        if (file == null) {
            folderUnsynced |= !disk.exists(name(extent));
            file = disk.open(name(extent));
            open.put(extent, file);
            if (open.size() > OPEN_FILES_MAX) {
                Map.Entry<Long, Disk.File> eldest = open.entrySet().iterator().next();
                close(eldest.getKey());
            }
        }
        return file;
    }

    private void close(long extent) throws IOException {
        Disk.File file = open.remove(extent);
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() throws IOException {
        for (long extent : Set.copyOf(open.keySet())) {
            close(extent);
        }
    }
}
