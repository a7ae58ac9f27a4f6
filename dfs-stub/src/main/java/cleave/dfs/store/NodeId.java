package cleave.dfs.store;

import cleave.model.UnknownFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * The id that makes a disk a node; an empty disk is a new node. It is read first: a version with another disk layout
 * writes something else in its place.
 */
public final class NodeId {
    private static final String NAME = "node";
    private static final String NEW_NAME = "node.new";
    /** A name chosen by the operator, and a number. */
    private static final Pattern FIRST_FORMAT = Pattern.compile("[^\\p{Cntrl}]*-[0-9a-f]{16}");

    private NodeId() {}

    /** A new id is the name and a random number; an existing id must have the name. */
    public static String readOrMake(Disk disk, String name, Random random) throws IOException {
        if (!disk.exists(NAME)) {
            if (disk.exists(CheckpointFile.NAME)
                    || !disk.list(JournalFiles.FOLDER).isEmpty()) {
                throw new DamagedNodeException("there is a journal but no id");
            }
            String made = name + "-" + HexFormat.of().toHexDigits(random.nextLong());
            write(disk, made);
            return made;
        }
        String id = read(disk);
        if (id.isEmpty()) {
            throw new DamagedNodeException("its id is empty");
        }
        if (!FIRST_FORMAT.matcher(id).matches()) {
            throw new UnknownFormat(
                    "the node's disk is of an unknown layout", "the first one, with a node's id in 'node'");
        }
        if (!id.startsWith(name + "-")) {
            throw new IOException("the disk belongs to node " + id + ", not to " + name);
        }
        return id;
    }

    private static void write(Disk disk, String id) throws IOException {
        disk.delete(NEW_NAME);
        try (Disk.File file = disk.open(NEW_NAME)) {
            file.write(0, ByteBuffer.wrap(id.getBytes(StandardCharsets.UTF_8)));
            file.sync();
        }
        disk.rename(NEW_NAME, NAME);
        disk.syncFolder("");
    }

    private static String read(Disk disk) throws IOException {
        try (Disk.File file = disk.open(NAME)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, ByteBuffer.wrap(bytes));
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
