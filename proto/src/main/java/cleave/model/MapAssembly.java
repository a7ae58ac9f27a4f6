package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of one stream on their way to a map. Confined to one thread. A map is never seen with some of the pieces of a change:
 * they go into a draft, which becomes a map with the last one.
 */
public final class MapAssembly {
    private @Nullable MapDraft draft;
    private long version;

    /**
     * The newest map after a piece: the given one until the last piece has come. IllegalArgumentException if the piece holds what
     * is no row, or belongs to another change than those before, or the whole is no map; then nothing of the change is kept.
     *
     * @param current the newest map, which may have come by another stream
     */
    public PartitionMap add(PartitionMap current, MapUpdate piece) {
        MapDraft begun = draft;
        draft = null;
        if (begun != null && piece.getVersion() != version) {
            throw new IllegalArgumentException(
                    "a piece of version " + piece.getVersion() + " among those of " + version);
        }
        if (!current.isOlderThan(piece)) {
            return current.told(piece.getCluster(), current.masters().with(piece));
        }
        MapDraft changed = begun == null ? current.draft(piece.getWhole()) : begun;
        piece.getRemovedList().forEach(changed::remove);
        for (RangeRow row : piece.getRowsList()) {
            changed.put(Row.fromWire(row));
        }
        if (piece.getMore()) {
            draft = changed;
            version = piece.getVersion();
            return current;
        }
        if (piece.getWhole()) {
            changed.checkTiling();
        }
        return current.finished(
                changed,
                piece.getCluster(),
                piece.getVersion(),
                piece.getServersList(),
                current.masters().with(piece));
    }

    /** True between the first piece of a change and its last. */
    public boolean isUnderWay() {
        return draft != null;
    }
}
