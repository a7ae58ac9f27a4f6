package cleave.server.state;

import cleave.model.Key;
import cleave.wire.Middle;
import org.jspecify.annotations.Nullable;

/**
 * About how large a store is. Immutable.
 *
 * @param bytes that its entities take
 * @param middle the bound between partitions that comes nearest to halving them; null: there is none inside
 * @param left share of the bytes below the middle
 */
public record StoredSize(long bytes, @Nullable Key middle, double left) {
    public static final StoredSize EMPTY = new StoredSize(0, null, 0);

    public Middle middleToWire() {
        Middle.Builder wire = Middle.newBuilder().setLeft(left);
        if (middle != null) {
            wire.setAt(middle.toWire());
        }
        return wire.build();
    }
}
