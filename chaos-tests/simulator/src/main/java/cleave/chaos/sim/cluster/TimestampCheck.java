package cleave.chaos.sim.cluster;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Page;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.World;
import cleave.model.Ticks;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks each timestamp that a client received: none may be ahead of true time by more than the clocks' bounds permit,
 * and those of an entity never decrease.
 */
public final class TimestampCheck {
    private final World world;
    private final SimCluster cluster;
    /** By entity and time of the answer: the highest timestamp returned until then. */
    private final TreeMap<EntityKey, TreeMap<Long, Long>> highest = new TreeMap<>();

    public TimestampCheck(SimCluster cluster) {
        this.world = cluster.world();
        this.cluster = cluster;
    }

    public void look(Operation operation) {
        if (operation instanceof Change change) {
            for (int i = 0; i < change.etags().size(); i++) {
                look(change, change.writes().get(i).key(), change.etags().get(i));
            }
        } else if (operation instanceof Get get) {
            look(get, get.key(), get.result().etag());
        } else if (operation instanceof Page page) {
            page.rows().forEach(row -> look(page, row.key(), row.result().etag()));
        }
    }

    private void look(Operation operation, EntityKey key, String etag) {
        if (etag.isEmpty()) {
            return;
        }
        long timestamp = ticks(etag);
        long ahead = timestamp - NodeClock.trueTicks(world);
        long most = cluster.timestampsAheadMax();
        if (ahead > most) {
            violation(
                    operation, "is " + seconds(ahead) + " ahead of true time, where the bounds allow " + seconds(most));
        }
        Call call = operation.call();
        TreeMap<Long, Long> before = highest.computeIfAbsent(key, none -> new TreeMap<>());
        Map.Entry<Long, Long> known = before.lowerEntry(call.invoked());
        if (known != null && timestamp < known.getValue()) {
            violation(operation, "is " + seconds(known.getValue() - timestamp) + " behind an earlier answer");
        }
        Map.Entry<Long, Long> last = before.lastEntry();
        before.put(call.returned(), last == null ? timestamp : Math.max(timestamp, last.getValue()));
    }

    private void violation(Operation operation, String what) {
        world.violation(Finding.By.TIMESTAMPS, "a timestamp " + what + ": " + operation);
    }

    private static long ticks(String etag) {
        String text =
                etag.substring(etag.indexOf('\'') + 1, etag.lastIndexOf('\'')).replace("%3A", ":");
        return Ticks.of(Instant.parse(text));
    }

    private static String seconds(long ticks) {
        return ticks / Ticks.PER_SECOND + " s";
    }
}
