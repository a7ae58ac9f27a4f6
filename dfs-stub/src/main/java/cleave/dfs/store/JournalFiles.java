package cleave.dfs.store;

import cleave.dfs.node.JournalFormat;
import cleave.dfs.node.JournalFormat.Segment;
import cleave.dfs.node.JournalGroup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes groups into the segments of the journal. Confined to one thread. A failed commit can be repeated. */
public final class JournalFiles implements AutoCloseable {
    static final String FOLDER = "journal";

    private final Disk disk;
    private Disk.@Nullable File file;
    private long segment = -1;

    public JournalFiles(Disk disk) {
        this.disk = disk;
    }

    static String name(long segment) {
        return String.format(Locale.ROOT, "%s/%016x", FOLDER, segment);
    }

    static List<Long> segments(Disk disk) throws IOException {
        return disk.list(FOLDER).stream().map(name -> Long.parseLong(name, 16)).toList();
    }

    static void deleteBefore(Disk disk, long first) throws IOException {
        for (long number : segments(disk)) {
            if (number < first) {
                disk.delete(name(number));
            }
        }
    }

    /** The group is on stable storage when this returns. */
    public void commit(JournalGroup group) throws IOException {
        Disk.File target = file;
        if (target == null || segment != group.segment()) {
            target = begin(group.segment());
        }
        if (group.beginsSegment()) {
            writeHeader(target, group);
        }
        target.write(group.position(), group.bytes());
        target.sync();
    }

    /** Synced before groups are written: a segment with groups and without a header is damaged, not torn. */
    private void writeHeader(Disk.File target, JournalGroup group) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(JournalFormat.SEGMENT_HEADER_BYTES);
        JournalFormat.putSegment(header, new Segment(group.segment(), group.salt()));
        target.write(0, header.flip());
        target.sync();
        disk.syncFolder(FOLDER);
    }

    private Disk.File begin(long number) throws IOException {
        close();
        Disk.File begun = disk.open(name(number));
        file = begun;
        segment = number;
        return begun;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
