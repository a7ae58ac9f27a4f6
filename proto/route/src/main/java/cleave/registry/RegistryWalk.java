package cleave.registry;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.wire.ErrorCode;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names of tables by their ids. Its owner sends the scans, one page after the other; not thread-safe, but for {@link #known}.
 *
 * <p>Keys hold the ids of tables, and only the registry has their names, by account and name. So while there are wanted tables without a
 * name, the registry is walked; otherwise nothing is requested. An id is never given to another table, so a name is right for ever. The
 * table of an id that a whole walk did not find is deleted, or is still being created; in the second case the next walk looks again. If a
 * row could not be read, as during an upgrade, nothing follows from the walk, and the next one begins.
 */
public final class RegistryWalk {
    private static final int ROWS_PER_PAGE = 1_000;
    private static final KeyRange REGISTRY = KeyRange.ofTable(Registry.TABLE);

    private volatile Map<Long, TableName> names = Map.of();
    /** The ids that a whole walk did not find, and whether their tables are certainly deleted. */
    private final Map<Long, Boolean> nameless = new HashMap<>();
    /** Tables not found yet by the current walk, which began when they were already wanted. */
    private final Set<Long> missing = new HashSet<>();
    /** No table with a lower id was still being created when the current walk began. */
    private long settledBelow;
    /** The key at which the walk goes on. */
    private Key at = REGISTRY.start();
    /** The reason why a row of the current walk could not be read; empty if all could. */
    private String unreadable = "";

    private String trouble = "";

    /** The names by id, as far as they are known. On any thread. */
    public Map<Long, TableName> known() {
        return names;
    }

    /** True if a whole walk did not find this id. */
    public boolean isNameless(long id) {
        return nameless.containsKey(id);
    }

    /** True if there is no table of this id, and never will be. */
    public boolean isDeleted(long id) {
        return Boolean.TRUE.equals(nameless.get(id));
    }

    /** The reason why the last page or, at the end of a walk, any row could not be read; empty if all could. */
    public String trouble() {
        return trouble;
    }

    /**
     * Only these count from now on. A current walk goes on for those of them that it began for; the others wait for the next one.
     *
     * @param createdBelow no table with a lower id is still being created
     */
    public void want(Set<Long> wanted, long createdBelow) {
        Map<Long, TableName> kept = new HashMap<>(names);
        kept.keySet().retainAll(wanted);
        names = Map.copyOf(kept);
        nameless.keySet().retainAll(wanted);
        missing.retainAll(wanted);
        if (missing.isEmpty()) {
            missing.addAll(wanted);
            missing.removeAll(kept.keySet());
            missing.removeIf(this::isDeleted);
            settledBelow = createdBelow;
            at = REGISTRY.start();
            unreadable = "";
        }
    }

    /** True while there is a page to be read. */
    public boolean isUnderWay() {
        return !missing.isEmpty();
    }

    /** The next page. */
    public ScanRequest.Builder page() {
        return ScanRequest.newBuilder()
                .setStart(at.toWire())
                .setEnd(REGISTRY.endToWire())
                .addAllSelect(Registry.WITHOUT_POLICIES)
                .setLimit(ROWS_PER_PAGE);
    }

    /** Takes the contents of the page; null if they are not known. False if it must be read again later: {@link #trouble} says why. */
    public boolean take(@Nullable ScanReply reply) {
        if (reply == null || reply.getStatus().getCode() != ErrorCode.OK) {
            trouble = reply == null ? "no answer" : reply.getStatus().getMessage();
            return false;
        }
        trouble = "";
        Map<Long, TableName> more = new HashMap<>(names);
        for (ScanRow row : reply.getRowsList()) {
            read(row, more);
        }
        names = Map.copyOf(more);
        if (reply.getExaminedUntil().isEmpty() || !REGISTRY.contains(Key.fromWire(reply.getExaminedUntil()))) {
            if (unreadable.isEmpty()) {
                missing.forEach(id -> nameless.put(id, id < settledBelow));
            }
            trouble = unreadable;
            missing.clear();
        } else {
            at = Key.fromWire(reply.getExaminedUntil());
        }
        return true;
    }

    private void read(ScanRow row, Map<Long, TableName> more) {
        try {
            Registry registry = Registry.of(EntityCodec.decode(row.getEntity().toByteArray()));
            if (registry != null && missing.remove(registry.id())) {
                nameless.remove(registry.id());
                more.put(registry.id(), new TableName(Key.fromWire(row.getKey()).partitionKey(), registry.name()));
            }
        } catch (Damaged damaged) {
            unreadable = String.valueOf(damaged.getMessage());
        }
    }

    /** The row of this table is gone; a row of it in a page on its way does not count. */
    public void deleted(long id) {
        Map<Long, TableName> kept = new HashMap<>(names);
        if (missing.remove(id) || kept.remove(id) != null || nameless.containsKey(id)) {
            names = Map.copyOf(kept);
            nameless.put(id, true);
        }
    }
}
