package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the pieces of one stream into maps. Confined to one thread. The pieces of a change are collected in a
 * draft, which becomes a map with the last piece; so no map ever contains half of a change.
 */
public final class MapAssembly {
    private @Nullable MapDraft draft;
    private long version;

    /**
     * Adds a piece and returns the newest map, which is the given one until the last piece of a change.
     * IllegalArgumentException if the piece contains an invalid row or belongs to another change than the pieces
     * before, or if the result is not a valid map; then the change is discarded.
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
                PartitionMap.serversOf(piece),
                current.masters().with(piece));
    }

    /** True between the first piece of a change and its last. */
    public boolean isUnderWay() {
        return draft != null;
    }
}
