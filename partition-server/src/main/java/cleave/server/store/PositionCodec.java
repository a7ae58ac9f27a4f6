package cleave.server.store;

import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import cleave.server.state.LogPosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A log position as it lies in a store, beside the entities: the format, 0 (1 byte) ‖ offset (7) ‖ sequence (8) ‖ path, numbers
 * big-endian. Stateless.
 */
final class PositionCodec {
    private static final int FORMAT_SHIFT = 56;

    private PositionCodec() {}

    static byte[] encode(LogPosition position) {
        byte[] path = position.path().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Long.BYTES + path.length)
                .putLong(position.offset())
                .putLong(position.sequence())
                .put(path)
                .array();
    }

    static LogPosition decode(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < 2 * Long.BYTES) {
            throw new Damaged("the position of a store has only " + bytes.length + " bytes");
        }
        long offset = buffer.getLong();
        if (offset >>> FORMAT_SHIFT != 0) {
            throw new UnknownFormat("the position of a store has format " + (offset >>> FORMAT_SHIFT), "format 0");
        }
        long sequence = buffer.getLong();
        String path = new String(bytes, buffer.position(), buffer.remaining(), StandardCharsets.UTF_8);
        return new LogPosition(path, offset, sequence);
    }
}
