package cleave.dfs.node;

import cleave.dfs.link.NamesCodec;
import cleave.dfs.node.JournalFormat.JournalRecord;
import cleave.dfs.state.IdIntervals;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.state.NamesState;
import cleave.model.Invariant;
import cleave.model.KnownFields;
import cleave.wire.ExtentRecord;
import cleave.wire.IdInterval;
import cleave.wire.NodeCheckpoint;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node while it is recovered from its disk: first a checkpoint, then the records of the journal after
 * it. Confined to the recovering thread; a {@link NodeCore} takes it over.
 *
 * <p>Invariant I3: a record that does not fit the state exactly makes its extent damaged; nothing is guessed.
 */
public final class NodeImage {
    /** The bytes in extents' files that the replay needs. */
    public interface Files {
        /** The first bytes of a block, or null if they are not there or do not match the checksum. */
        byte @Nullable [] begun(long extent, long block, int length, int checksum);

        void write(ExtentWork.WriteBlock block);
    }

    private final Files files;
    final TreeMap<Long, Extent> extents = new TreeMap<>();
    final List<Extent> changed = new ArrayList<>();
    IdIntervals dropped = IdIntervals.EMPTY;
    NamesState names = NamesState.EMPTY;
    private long sequence;

    public NodeImage(Files files) {
        this.files = files;
    }

    /** A checkpoint, or one of its parts. */
    public void restore(NodeCheckpoint part) {
        sequence = Math.max(sequence, part.getSequence());
        names = NamesCodec.restored(names, part.getNames());
        for (IdInterval ids : part.getDroppedList()) {
            dropped = dropped.plus(ids.getFirst(), ids.getLast());
        }
        part.getExtentsList().forEach(this::restore);
    }

    private void restore(ExtentRecord record) {
        Extent extent = Extent.restored(record);
        extents.put(record.getId(), extent);
        if (!record.getFenced() && !record.getDamaged()) {
            restoreTail(extent, record.getTailChecksum());
        }
    }

    /** The sequence of the last group that it contains. */
    public long sequence() {
        return sequence;
    }

    /** Begins the next group; the caller has checked that none is missing. */
    public void begin(long groupSequence) {
        Invariant.check(groupSequence == sequence + 1, "group %s after %s", groupSequence, sequence);
        sequence = groupSequence;
    }

    public void apply(JournalRecord record, ByteBuffer body) {
        switch (record.kind()) {
            case NOTHING -> {}
            case APPEND -> append(record, ByteString.copyFrom(body));
            case BULK -> bulk(record, body.getLong(), body.getInt());
            case FENCE -> fence(record);
            case DROP -> drop(record.extent());
            case NAMES -> names = names.redo(command(body));
        }
    }

    /** Notes that a record of this extent has a broken body. */
    public void damage(long extent) {
        if (!dropped.contains(extent)) {
            Extent hurt = extent(extent);
            hurt.damage();
            change(hurt);
        }
    }

    public boolean knows(long extent) {
        return extents.containsKey(extent);
    }

    private static NamesCommand command(ByteBuffer body) {
        try {
            cleave.wire.NamesCommand command = cleave.wire.NamesCommand.parseFrom(body);
            KnownFields.check("a command to the names in the journal", command);
            return NamesCodec.command(command);
        } catch (com.google.protobuf.InvalidProtocolBufferException broken) {
            throw new IllegalStateException("a whole record does not hold a command", broken);
        }
    }

    private void append(JournalRecord record, ByteString bytes) {
        Extent extent = extent(record.extent());
        if (fits(extent, record.offset())) {
            extent.take(bytes, block -> {
                files.write(block);
                extent.written(block);
            });
            extent.madeDurable(extent.length());
        }
    }

    private void bulk(JournalRecord record, long bytes, int tailChecksum) {
        Extent extent = extent(record.extent());
        if (fits(extent, record.offset())) {
            extent.takeBulk(record.offset() + bytes, new byte[0]);
            extent.madeDurable(extent.length());
            restoreTail(extent, tailChecksum);
        }
    }

    private void fence(JournalRecord record) {
        Extent extent = extent(record.extent());
        if (!extent.isDamaged() && extent.length() != record.offset()) {
            extent.damage();
        }
        extent.fence();
        change(extent);
    }

    private void drop(long id) {
        extents.remove(id);
        dropped = dropped.plus(id);
    }

    private boolean fits(Extent extent, long offset) {
        change(extent);
        if (extent.isDamaged() || extent.isFenced() || extent.length() != offset) {
            extent.damage();
            return false;
        }
        return true;
    }

    private void restoreTail(Extent extent, int checksum) {
        int length = Blocks.within(extent.length());
        byte[] tail =
                length == 0 ? new byte[0] : files.begun(extent.id(), Blocks.blockOf(extent.length()), length, checksum);
        if (tail == null) {
            extent.damage();
            change(extent);
        } else {
            extent.restoreTail(tail);
        }
    }

    private Extent extent(long id) {
        return extents.computeIfAbsent(id, Extent::new);
    }

    private void change(Extent extent) {
        if (!extent.changed) {
            extent.changed = true;
            changed.add(extent);
        }
    }
}
