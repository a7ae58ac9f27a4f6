package cleave.server.state;

import cleave.model.Key;
import cleave.wire.Middle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The approximate size of a store. Immutable.
 *
 * @param bytes that its entities take
 * @param middle the bound between partitions that comes nearest to halving them; null: there is none inside
 * @param left share of the bytes below the middle
 * @param tables the part of each table, as of some time within the last minutes
 */
public record StoredSize(long bytes, @Nullable Key middle, double left, List<TableSize> tables) {
    public static final StoredSize EMPTY = new StoredSize(0, null, 0);

    public StoredSize {
        tables = List.copyOf(tables);
    }

    /** A size without the tables. */
    public StoredSize(long bytes, @Nullable Key middle, double left) {
        this(bytes, middle, left, List.of());
    }

    public StoredSize with(List<TableSize> measured) {
        return new StoredSize(bytes, middle, left, measured);
    }

    public Middle middleToWire() {
        Middle.Builder wire = Middle.newBuilder().setLeft(left);
        if (middle != null) {
            wire.setAt(middle.toWire());
        }
        return wire.build();
    }
}
