package cleave.dfs.node;

import cleave.model.UnknownFormat;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the journal. Pure.
 *
 * <p>A segment is a header and groups. A group is what one sync makes durable: a header and records, each with a header
 * and a body. The checksum of a header covers its position and the segment's salt, so neither old bytes nor bytes
 * chosen by a client can pass for a header. A group is written only after the one before it was synced. A broken group
 * is therefore damage if an intact group of a higher sequence follows anywhere, and otherwise the torn end of an
 * unacknowledged write. The body has its own checksum, so damage in a body affects only its extent.
 */
public final class JournalFormat {
    public static final int SEGMENT_HEADER_BYTES = 28;
    public static final int GROUP_HEADER_BYTES = 20;
    public static final int RECORD_HEADER_BYTES = 29;

    /** "CLVSEG" and two bytes for the format's number. */
    private static final long SEGMENT_MAGIC = 0x434c56534547_0000L;

    private static final int FORMAT_MASK = 0xffff;
    private static final int FORMAT = 1;
    private static final int GROUP_MAGIC = 0x434c5647;

    /** The kind of a record. */
    public enum Kind {
        /** No content; proves that a sync works. */
        NOTHING(0),
        /** Bytes of an extent. */
        APPEND(1),
        /** Bytes of an extent that its file already holds, synced; the body is the checksum of the last block. */
        BULK(2),
        /** The extent ended, at the offset. */
        FENCE(3),
        /** The extent is deleted. */
        DROP(4),
        /** A command to the state machine of names. */
        NAMES(5);

        private static final List<Kind> BY_CODE = List.of(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        static @Nullable Kind of(int code) {
            return code >= 0 && code < BY_CODE.size() ? BY_CODE.get(code) : null;
        }
    }

    /** The header of a segment. Immutable. */
    public record Segment(long number, long salt) {}

    /** The header of a group. Immutable. */
    public record Group(int payloadBytes, long sequence) {}

    /**
     * A record. Immutable.
     *
     * @param length of the body
     */
    public record JournalRecord(Kind kind, long extent, long offset, int length, int bodyChecksum) {}

    private JournalFormat() {}

    public static void putSegment(ByteBuffer target, Segment segment) {
        long magic = SEGMENT_MAGIC | FORMAT;
        target.putLong(magic).putLong(segment.number()).putLong(segment.salt());
        target.putInt(checksum(magic, segment.number(), segment.salt()));
    }

    /** The header at the source's position, or null if none is there. {@link UnknownFormat} if it is one of another format. */
    public static @Nullable Segment segment(ByteBuffer source) {
        if (source.remaining() < SEGMENT_HEADER_BYTES) {
            return null;
        }
        long magic = source.getLong();
        long number = source.getLong();
        long salt = source.getLong();
        if ((magic & ~FORMAT_MASK) != SEGMENT_MAGIC || source.getInt() != checksum(magic, number, salt)) {
            return null;
        }
        int format = (int) magic & FORMAT_MASK;
        if (format != FORMAT) {
            throw new UnknownFormat("segment " + number + " of the journal has format " + format, "format " + FORMAT);
        }
        return new Segment(number, salt);
    }

    static void putGroup(ByteBuffer target, Group group, long salt, long position) {
        target.putInt(GROUP_MAGIC).putInt(group.payloadBytes()).putLong(group.sequence());
        target.putInt(checksum(salt, position, group.payloadBytes(), group.sequence()));
    }

    /** The header at the source's position, or null if none is there. */
    public static @Nullable Group group(ByteBuffer source, long salt, long position) {
        if (source.remaining() < GROUP_HEADER_BYTES || source.getInt() != GROUP_MAGIC) {
            return null;
        }
        Group group = new Group(source.getInt(), source.getLong());
        return source.getInt() == checksum(salt, position, group.payloadBytes(), group.sequence()) ? group : null;
    }

    /** Appends a record to a group whose payload begins after its header, at {@link #GROUP_HEADER_BYTES}. */
    static void putRecord(
            ByteBuffer target, long salt, long sequence, Kind kind, long extent, long offset, ByteString body) {
        int at = target.position();
        int length = body.size();
        target.position(at + RECORD_HEADER_BYTES);
        body.copyTo(target);
        int bodyChecksum = checksum(target.duplicate().flip().position(at + RECORD_HEADER_BYTES));
        target.put(at, (byte) kind.code).putLong(at + 1, extent).putLong(at + 9, offset);
        target.putInt(at + 17, length).putInt(at + 21, bodyChecksum);
        target.putInt(
                at + 25,
                checksum(salt, sequence, at - GROUP_HEADER_BYTES, kind.code, extent, offset, length, bodyChecksum));
    }

    /**
     * The record header at the source's position, {@code at} bytes into the group's payload; null if it is broken.
     * {@link UnknownFormat} if it is intact but of a newer version; a torn end never looks like that.
     */
    public static @Nullable JournalRecord record(ByteBuffer source, long salt, long sequence, int at) {
        if (source.remaining() < RECORD_HEADER_BYTES) {
            return null;
        }
        int code = source.get();
        long extent = source.getLong();
        long offset = source.getLong();
        int length = source.getInt();
        int bodyChecksum = source.getInt();
        boolean whole = source.getInt() == checksum(salt, sequence, at, code, extent, offset, length, bodyChecksum);
        Kind kind = Kind.of(code);
        if (whole && kind == null) {
            throw new UnknownFormat(
                    "group " + sequence + " of the journal has a record of kind " + code,
                    "kinds 0 to " + (Kind.BY_CODE.size() - 1));
        }
        if (!whole || kind == null || length < 0 || length > source.remaining()) {
            return null;
        }
        return new JournalRecord(kind, extent, offset, length, bodyChecksum);
    }

    /** The checksum of all bytes from the position to the limit. */
    public static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static int checksum(long... values) {
        CRC32C crc = new CRC32C();
        for (long value : values) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                crc.update((int) (value >>> shift));
            }
        }
        return (int) crc.getValue();
    }
}
