package cleave.server.state;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.UnknownFormat;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sealed commit log, piece by piece, from a position to its sealed length. Confined to its maker.
 *
 * <p>One incomplete record at the very end was cut by the seal and never acknowledged: it is dropped. Anything else that is not the next
 * record (a checksum that does not match, a hole in the sequence numbers, an impossible length) is {@link Damaged} and stops the replay. A
 * whole record with an effect of a kind that a newer version wrote stops it as an {@link UnknownFormat}.
 */
public final class LogRecordReader {
    private final String path;
    private byte[] bytes = new byte[0];
    private int start;
    private int limit;
    private long offset;
    private long sequence;

    public LogRecordReader(LogPosition position) {
        this.path = position.path();
        this.offset = position.offset();
        this.sequence = position.sequence();
    }

    /** Takes the bytes after those given before. */
    public void feed(ByteString piece) {
        if (bytes.length - limit < piece.size()) {
            makeRoom(piece.size());
        }
        piece.copyTo(bytes, limit);
        limit += piece.size();
    }

    /** Moves the remaining bytes to the beginning; those of a large record, which many pieces make up, into room for all of it. */
    private void makeRoom(int more) {
        int left = limit - start;
        int needed = Math.max(left, sizeOfNext()) + more;
        byte[] to = needed <= bytes.length ? bytes : new byte[needed];
        System.arraycopy(bytes, start, to, 0, left);
        bytes = to;
        start = 0;
        limit = left;
    }

    /** 0 if it is not known yet, or impossible. */
    private int sizeOfNext() {
        if (limit - start < LogRecordBuilder.FRAME_BYTES) {
            return 0;
        }
        long size = ByteBuffer.wrap(bytes).getInt(start) + (long) LogRecordBuilder.FRAME_BYTES;
        return size < 0 || size > LogRecordBuilder.RECORD_BYTES_MAX ? 0 : (int) size;
    }

    /** The next record; null if the bytes given so far do not hold it whole. */
    public @Nullable LogRecord next() {
        int available = limit - start;
        if (available < LogRecordBuilder.FRAME_BYTES) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long size = buffer.getInt(start) + (long) LogRecordBuilder.FRAME_BYTES;
        if (size < LogRecordBuilder.HEADER_BYTES || size > LogRecordBuilder.RECORD_BYTES_MAX) {
            throw damaged("a record cannot have " + size + " bytes");
        }
        if (available >= LogRecordBuilder.FRAME_BYTES + Long.BYTES) {
            checkSequence(buffer.getLong(start + LogRecordBuilder.FRAME_BYTES));
        }
        return available < size ? null : take(buffer, (int) size);
    }

    private void checkSequence(long found) {
        if (found != sequence) {
            throw damaged("found record " + found + " where record " + sequence + " belongs");
        }
    }

    private LogRecord take(ByteBuffer buffer, int size) {
        if (buffer.getInt(start + Integer.BYTES) != LogRecordBuilder.checksum(bytes, start, size)) {
            throw damaged("checksum of record " + sequence + " does not match");
        }
        long highest = buffer.getLong(start + LogRecordBuilder.FRAME_BYTES + Long.BYTES);
        buffer.position(start + LogRecordBuilder.HEADER_BYTES).limit(start + size);
        LogRecord record = new LogRecord(sequence, highest, effects(buffer), offset + size);
        start += size;
        offset += size;
        sequence++;
        return record;
    }

    private List<Effect> effects(ByteBuffer buffer) {
        List<Effect> effects = new ArrayList<>();
        try {
            while (buffer.hasRemaining()) {
                effects.add(effect(buffer));
            }
        } catch (java.nio.BufferUnderflowException cut) {
            throw damaged("an effect of record " + sequence + " is cut");
        }
        return effects;
    }

    private Effect effect(ByteBuffer buffer) {
        byte kind = buffer.get();
        return switch (kind) {
            case LogRecordBuilder.PUT -> {
                Key key = Key.wrap(sized(buffer));
                yield new Effect.Put(key, sized(buffer));
            }
            case LogRecordBuilder.DELETE -> new Effect.Delete(Key.wrap(sized(buffer)));
            case LogRecordBuilder.DROP_TABLE -> new Effect.DropTable(buffer.getLong());
            default -> throw unknown(kind);
        };
    }

    private byte[] sized(ByteBuffer buffer) {
        int length = 0;
        int shift = 0;
        byte next;
        do {
            next = buffer.get();
            length |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0 && shift < 35);
        if (next < 0 || length < 0 || length > buffer.remaining()) {
            throw damaged("record " + sequence + " has a length that does not fit");
        }
        byte[] taken = new byte[length];
        buffer.get(taken);
        return taken;
    }

    /** The position of the next record. */
    public LogPosition position() {
        return new LogPosition(path, offset, sequence);
    }

    /** Bytes after the last whole record: at the sealed end, those of a record that the seal cut. */
    public int rest() {
        return limit - start;
    }

    private Damaged damaged(String what) {
        return new Damaged("log " + path + " at " + offset + ": " + what);
    }

    /** The checksum matches: somebody wrote this kind. */
    private UnknownFormat unknown(byte kind) {
        return new UnknownFormat(
                "log " + path + " at " + offset + ": record " + sequence + " has an effect of kind " + kind,
                "kinds " + LogRecordBuilder.PUT + " to " + LogRecordBuilder.DROP_TABLE);
    }
}
