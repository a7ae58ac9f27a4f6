package cleave.server.state;

import cleave.model.Key;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes one record of a commit log. Confined to its maker; used once.
 *
 * <p>The record: {@code length (4) ‖ crc32c (4) ‖ sequence (8) ‖ highest timestamp (8) ‖ effects}. The length is that of the part after the
 * checksum; the checksum covers the length and that part. An effect: {@code kind (1) ‖ key length (varint) ‖ key}, for a put followed by
 * {@code entity length (varint) ‖ entity}; a drop is {@code kind (1) ‖ table (8)}. Numbers are big-endian.
 */
public final class LogRecordBuilder {
    /** The length of the part before a record's checked content. */
    static final int FRAME_BYTES = 8;

    static final int HEADER_BYTES = FRAME_BYTES + 16;
    /** The longest record: the layers below carry it in one message, with room for their headers. */
    public static final int RECORD_BYTES_MAX = 12 << 20;

    static final byte PUT = 1;
    static final byte DELETE = 2;
    static final byte DROP_TABLE = 3;

    private static final int VARINT_BYTES_MAX = 5;

    private byte[] bytes = new byte[1024];
    private int size = HEADER_BYTES;

    /** An upper bound of the bytes that an effect adds. */
    public static long bytesOf(Effect effect) {
        if (effect instanceof Effect.Put put) {
            return 1L + 2 * VARINT_BYTES_MAX + put.key().bytes().length + put.entity().length;
        }
        if (effect instanceof Effect.Delete delete) {
            return 1L + VARINT_BYTES_MAX + delete.key().bytes().length;
        }
        if (effect instanceof Effect.DropTable) {
            return 1L + Long.BYTES;
        }
        throw new AssertionError("unknown effect " + effect);
    }

    public void add(Effect effect) {
        ensure(bytesOf(effect));
        if (effect instanceof Effect.Put put) {
            addKey(PUT, put.key());
            addBytes(put.entity());
        } else if (effect instanceof Effect.Delete delete) {
            addKey(DELETE, delete.key());
        } else if (effect instanceof Effect.DropTable drop) {
            bytes[size++] = DROP_TABLE;
            ByteBuffer.wrap(bytes, size, Long.BYTES).putLong(drop.table());
            size += Long.BYTES;
        } else {
            throw new AssertionError("unknown effect " + effect);
        }
    }

    private void addKey(byte kind, Key key) {
        bytes[size++] = kind;
        addBytes(key.bytes());
    }

    private void addBytes(byte[] added) {
        int rest = added.length;
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        System.arraycopy(added, 0, bytes, size, added.length);
        size += added.length;
    }

    private void ensure(long more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(2L * bytes.length, size + more)));
        }
    }

    /** The size of the record so far. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == HEADER_BYTES;
    }

    /** The record as it is appended: valid in {@code [0, size)}. The builder is not used afterwards. */
    public ByteBuffer finish(long sequence, long highestTimestamp) {
        ByteBuffer record = ByteBuffer.wrap(bytes, 0, size);
        record.putInt(0, size - FRAME_BYTES);
        record.putLong(FRAME_BYTES, sequence);
        record.putLong(FRAME_BYTES + Long.BYTES, highestTimestamp);
        record.putInt(Integer.BYTES, checksum(bytes, 0, size));
        return record;
    }

    /** The checksum of a whole record that begins at an index: over its length and its content. */
    static int checksum(byte[] bytes, int start, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, Integer.BYTES);
        crc.update(bytes, start + FRAME_BYTES, size - FRAME_BYTES);
        return (int) crc.getValue();
    }
}
