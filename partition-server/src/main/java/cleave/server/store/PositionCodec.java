package cleave.server.store;

import cleave.server.state.LogPosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A log position as it lies in a store, beside the entities. */
final class PositionCodec {
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
        long offset = buffer.getLong();
        long sequence = buffer.getLong();
        String path = new String(bytes, buffer.position(), buffer.remaining(), StandardCharsets.UTF_8);
        return new LogPosition(path, offset, sequence);
    }
}
