package cleave.server.range;

import cleave.model.Key;
import cleave.model.manifest.DroppedTables;
import cleave.server.outside.RangeStore;
import cleave.server.policy.WriteJudge;
import cleave.server.state.Effect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The range as it will be when every record that was sent is applied: the store, overlaid with the changes in flight.
 * Confined to the range's loop.
 */
final class InFlight implements WriteJudge.Entities {
    private final RangeStore store;
    private final Map<Key, Change> changes = new HashMap<>();
    private DroppedTables dropped;

    InFlight(RangeStore store, DroppedTables dropped) {
        this.store = store;
        this.dropped = dropped;
    }

    /** The latest change of a key in flight; a null entity means a delete. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared; copies would cost on every write.
    private record Change(byte @Nullable [] entity, Group by) {}

    @Override
    public byte @Nullable [] get(Key key) {
        Change change = changes.isEmpty() ? null : changes.get(key);
        return change == null ? store.get(key) : change.entity();
    }

    DroppedTables dropped() {
        return dropped;
    }

    void add(List<Effect> effects, Group by) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Put put) {
                changes.put(put.key(), new Change(put.entity(), by));
            } else if (effect instanceof Effect.Delete delete) {
                changes.put(delete.key(), new Change(null, by));
            } else if (effect instanceof Effect.DropTable drop) {
                dropped = dropped.plus(drop.table()); // Its keys are refused from now on, so they need no change.
            }
        }
    }

    /** Removes the changes of a group that is now in the store. */
    void applied(Group group) {
        for (Effect effect : group.effects()) {
            Key key = effect instanceof Effect.Put put
                    ? put.key()
                    : effect instanceof Effect.Delete delete ? delete.key() : null;
            Change change = key == null ? null : changes.get(key);
            if (key != null && change != null && change.by() == group) {
                changes.remove(key);
            }
        }
    }

    /** Removes all changes: whatever is not in the store did not happen. */
    void forget(DroppedTables durable) {
        changes.clear();
        dropped = durable;
    }
}
