package cleave.dfs.node;

import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.IdIntervals;
import cleave.dfs.state.NamesState;
import cleave.wire.ExtentRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The extents of a node and the ids of deleted ones: decides which requests an extent permits and where its bytes are,
 * and records its state in checkpoints. Confined to the node's loop. It does not access the disk.
 */
final class ExtentTable {
    private final TreeMap<Long, Extent> extents;
    private final DfsMetrics metrics;
    /** Since the last checkpoint. */
    private List<Extent> changed;

    private IdIntervals dropped;

    ExtentTable(NodeImage image, DfsMetrics metrics) {
        this.extents = image.extents;
        this.metrics = metrics;
        this.changed = image.changed;
        this.dropped = image.dropped;
        metrics.extents(extents.size());
    }

    @Nullable
    Extent get(long id) {
        return extents.get(id);
    }

    boolean isDropped(long id) {
        return dropped.contains(id);
    }

    /** False if this extent was deleted. */
    boolean holds(Extent extent) {
        return extents.get(extent.id()) == extent;
    }

    Extent create(long id) {
        Extent extent = new Extent(id);
        extents.put(id, extent);
        metrics.extents(extents.size());
        return extent;
    }

    /** Deletes an extent forever, even if it was never created here; returns it if it was. */
    @Nullable
    Extent drop(long id) {
        dropped = dropped.plus(id);
        Extent extent = extents.remove(id);
        metrics.extents(extents.size());
        return extent;
    }

    /** Notes that the next checkpoint must record this extent. */
    void change(Extent extent) {
        if (!extent.changed) {
            extent.changed = true;
            changed.add(extent);
        }
    }

    /** Whether an append or a barrier at this offset is permitted; {@code extent} is null if it is not here. */
    ExtentStatus status(@Nullable Extent extent, long id, long offset) {
        if (extent == null) {
            if (dropped.contains(id)) {
                return ExtentStatus.DELETED;
            }
            return offset == 0 ? ExtentStatus.OK : ExtentStatus.WRONG_OFFSET;
        }
        if (extent.isDamaged()) {
            return ExtentStatus.DAMAGED;
        }
        if (extent.isFenced()) {
            return ExtentStatus.FENCED;
        }
        return offset == extent.lengthToCome() ? ExtentStatus.OK : ExtentStatus.WRONG_OFFSET;
    }

    /** Plans a read: finds the bytes that the reader may see. */
    ReadPlan plan(NodeLink.Piece piece) {
        long id = piece.extent();
        long end = piece.end();
        Extent extent = extents.get(id);
        if (extent == null) {
            boolean missing =
                    !dropped.contains(id) && end > 0; // According to the names there are bytes, but the disk has none.
            return ReadPlan.refused(
                    id, dropped.contains(id) ? ExtentStatus.DELETED : missing ? ExtentStatus.DAMAGED : ExtentStatus.OK);
        }
        if (extent.isDamaged() || end > extent.durable()) {
            return ReadPlan.refused(id, ExtentStatus.DAMAGED);
        }
        return extent.plan(piece.offset(), piece.length(), end == ExtentPlace.OPEN ? extent.durable() : end);
    }

    /** The limit for readers that know no sealed length: OK, DELETED or DAMAGED. */
    LengthAnswer visible(long id) {
        Extent extent = extents.get(id);
        if (extent == null) {
            return new LengthAnswer(dropped.contains(id) ? ExtentStatus.DELETED : ExtentStatus.OK, 0);
        }
        return new LengthAnswer(extent.isDamaged() ? ExtentStatus.DAMAGED : ExtentStatus.OK, extent.durable());
    }

    /** Captures everything up to and including the last group that was passed to the disk. */
    ExtentWork.WriteCheckpoint capture(String node, long segment, long sequence, NamesState names) {
        List<ExtentWork.Tail> tails = new ArrayList<>();
        List<Long> written = new ArrayList<>();
        for (Extent extent : changed) {
            extent.changed = false;
            if (holds(extent)) {
                written.add(extent.id());
                if (extent.hasTail() && !extent.bulkUnderWay) { // A large append writes that block itself.
                    tails.add(new ExtentWork.Tail(extent.id(), Blocks.blockOf(extent.length()), extent.tailCopy()));
                }
            }
        }
        changed = new ArrayList<>();
        List<ExtentRecord> records = new ArrayList<>(extents.size());
        for (Extent extent : extents.values()) {
            records.add(extent.record());
        }
        return new ExtentWork.WriteCheckpoint(
                new Checkpoint(node, segment, sequence, records, dropped, names), tails, written);
    }

    /** Frees the last blocks of fenced extents, which this checkpoint has written. */
    void captured(ExtentWork.WriteCheckpoint checkpoint) {
        for (ExtentWork.Tail tail : checkpoint.tails()) {
            Extent extent = extents.get(tail.extent());
            long end = Blocks.startOf(tail.block()) + tail.bytes().size();
            if (extent != null && extent.isFenced() && extent.length() == end) {
                extent.dropTail();
            }
        }
    }
}
