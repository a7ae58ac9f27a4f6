package cleave.dfs.store;

import cleave.dfs.node.CoreLink;
import cleave.dfs.node.JournalFormat;
import cleave.dfs.node.JournalFormat.Group;
import cleave.dfs.node.JournalFormat.JournalRecord;
import cleave.dfs.node.JournalFormat.Kind;
import cleave.dfs.node.JournalFormat.Segment;
import cleave.dfs.node.NodeCore;
import cleave.dfs.node.NodeImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers a node from its disk: the checkpoint, then the journal, whose torn end is cut off. Used once, by the thread
 * that starts the node.
 *
 * <p>A group is written only after the one before it was synced. Broken bytes are therefore the torn end of an
 * unacknowledged write only if nothing intact follows; otherwise they are damage. Damage in a body makes its extent
 * damaged; damage that could concern anything keeps the node from starting.
 */
public final class NodeRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRecovery.class);

    /**
     * The result.
     *
     * @param nextSegment where the journal continues
     */
    public record Recovered(NodeImage image, long nextSegment) {
        /** The link to the core of a node that begins with this. */
        public CoreLink start(NodeCore.Self self, NodeCore.Outside outside) {
            return new CoreLink(NodeCore.of(self, image, nextSegment, outside));
        }
    }

    private final Disk disk;
    private final ExtentFiles files;
    private final NodeImage image;

    private NodeRecovery(Disk disk, ExtentFiles files) {
        this.disk = disk;
        this.files = files;
        this.image = new NodeImage(files);
    }

    public static Recovered recover(Disk disk, ExtentFiles files) throws IOException {
        return new NodeRecovery(disk, files).recover();
    }

    private Recovered recover() throws IOException {
        long first = new CheckpointFile(disk).read(image);
        JournalFiles.deleteBefore(disk, first);
        long next = first;
        List<Long> segments = JournalFiles.segments(disk);
        for (int i = 0; i < segments.size(); i++) {
            long segment = segments.get(i);
            if (segment != next) {
                throw new DamagedNodeException("the journal's segment " + next + " is missing, there is " + segment);
            }
            if (replay(segment, i == segments.size() - 1)) {
                next++;
            }
        }
        files.deleteAllBut(image::knows);
        disk.syncFolder(JournalFiles.FOLDER); // An earlier life may have ended before it did.
        disk.syncFolder("");
        return new Recovered(image, next);
    }

    /** Returns false if the segment was never begun; it is deleted then. */
    private boolean replay(long number, boolean last) throws IOException {
        try (Disk.File file = disk.open(JournalFiles.name(number))) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(0, bytes);
            bytes.flip();
            Segment segment = JournalFormat.segment(bytes.duplicate());
            if (segment == null || segment.number() != number) {
                if (!last) {
                    throw new DamagedNodeException("segment " + number + " of the journal has no header");
                }
                if (bytes.limit() > JournalFormat.SEGMENT_HEADER_BYTES) {
                    throw new DamagedNodeException("segment " + number + " of the journal lost its header");
                }
                LOG.info("an unbegun segment of the journal is dropped segment={} bytes={}", number, bytes.limit());
                disk.delete(JournalFiles.name(number));
                return false;
            }
            int end = replay(bytes, segment, last);
            if (end < bytes.limit()) {
                LOG.info(
                        "the torn end of the journal is cut segment={} at={} bytes={}",
                        number,
                        end,
                        bytes.limit() - end);
                file.truncate(end);
            }
            file.sync();
            return true;
        }
    }

    /** Applies the groups of a segment; returns where they end. */
    private int replay(ByteBuffer bytes, Segment segment, boolean last) throws IOException {
        int at = JournalFormat.SEGMENT_HEADER_BYTES;
        while (at < bytes.limit()) {
            Group group = JournalFormat.group(bytes.duplicate().position(at), segment.salt(), at);
            int payload = at + JournalFormat.GROUP_HEADER_BYTES;
            boolean fits = group != null && payload + group.payloadBytes() <= bytes.limit();
            boolean torn = group == null || !fits || !isWhole(bytes, segment, group, payload);
            if (torn && last && !hasGroupBehind(bytes, segment, at)) {
                return at;
            }
            if (group == null || !fits) {
                throw new DamagedNodeException("segment " + segment.number() + " at " + at + " has no group");
            }
            if (group.sequence() != image.sequence() + 1) {
                throw new DamagedNodeException("segment " + segment.number() + " at " + at + " has group "
                        + group.sequence() + " after " + image.sequence());
            }
            apply(bytes, segment, group, payload);
            at = payload + group.payloadBytes();
        }
        return at;
    }

    private boolean hasGroupBehind(ByteBuffer bytes, Segment segment, int from) {
        for (int at = from + 1; at <= bytes.limit() - JournalFormat.GROUP_HEADER_BYTES; at++) {
            Group group = JournalFormat.group(bytes.duplicate().position(at), segment.salt(), at);
            if (group != null && group.sequence() > image.sequence() + 1) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWhole(ByteBuffer bytes, Segment segment, Group group, int payload) {
        int end = payload + group.payloadBytes();
        int at = payload;
        while (at < end) {
            JournalRecord record = record(bytes, segment, group, payload, at);
            if (record == null || !isBodyWhole(bytes, record, at)) {
                return false;
            }
            at += JournalFormat.RECORD_HEADER_BYTES + record.length();
        }
        return true;
    }

    private void apply(ByteBuffer bytes, Segment segment, Group group, int payload) throws IOException {
        image.begin(group.sequence());
        int end = payload + group.payloadBytes();
        int at = payload;
        while (at < end) {
            JournalRecord record = record(bytes, segment, group, payload, at);
            if (record == null) {
                throw new DamagedNodeException("segment " + segment.number() + " at " + at + " has no record");
            }
            if (isBodyWhole(bytes, record, at)) {
                image.apply(record, body(bytes, record, at));
            } else if (record.kind() == Kind.APPEND || record.kind() == Kind.BULK) {
                LOG.error("an extent is damaged extent={} segment={} at={}", record.extent(), segment.number(), at);
                image.damage(record.extent());
            } else {
                throw new DamagedNodeException("segment " + segment.number() + " at " + at + " broke " + record.kind());
            }
            at += JournalFormat.RECORD_HEADER_BYTES + record.length();
        }
    }

    private static @Nullable JournalRecord record(ByteBuffer bytes, Segment segment, Group group, int payload, int at) {
        ByteBuffer source = bytes.duplicate().position(at).limit(payload + group.payloadBytes());
        return JournalFormat.record(source, segment.salt(), group.sequence(), at - payload);
    }

    private static boolean isBodyWhole(ByteBuffer bytes, JournalRecord record, int at) {
        return JournalFormat.checksum(body(bytes, record, at)) == record.bodyChecksum();
    }

    private static ByteBuffer body(ByteBuffer bytes, JournalRecord record, int at) {
        int from = at + JournalFormat.RECORD_HEADER_BYTES;
        return bytes.duplicate().position(from).limit(from + record.length());
    }
}
