package cleave.master.tables;

import cleave.master.servers.LookedUp;
import cleave.master.servers.RangeCalls;
import cleave.master.state.Drop;
import cleave.master.state.MasterState;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.registry.RegistryWalk;
import cleave.runtime.loop.EventLoop;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.ScanReply;
import cleave.wire.StatusRequest;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the ranges that are listed, by name. Confined to the master loop. Soft state, which a new leader does not have.
 *
 * <p>Nothing is read unless somebody asks, and then only for tables whose names are not known ({@link RegistryWalk}): a few pages of the
 * registry each second, however many ask, until a minute after the last did. Nothing is replicated. Names are given as far as they are
 * known: nobody waits for them longer than a tenth of a second, or for the entry of a table that is asked for by name longer than one.
 */
public final class ListedTables {
    /** If there are more tables, those that were asked for last have names, and the first of the others in key order. */
    static final int NAMED_MAX = 10_000;

    private static final int PAGES_PER_LOOK = 4;
    /** How many ids are tried for the last table of a range without an end: the newest may have been deleted. */
    private static final int NEWEST_MAX = 16;

    private static final long SECOND = 1_000_000_000L;
    private static final long REST_NANOS = SECOND;
    private static final long TROUBLED_REST_NANOS = 5 * SECOND;
    private static final long PATIENCE_NANOS = 5 * SECOND;
    private static final long LOOK_UP_NANOS = SECOND;
    private static final long MOMENT_NANOS = SECOND / 10;
    private static final long ATTENTION_NANOS = 60 * SECOND;
    /** Twice the default of {@code front-end.request-timeout}, in which a table gets its id and its entry in the registry, or fails. */
    private static final long CREATION_NANOS = 60 * SECOND;

    private final EventLoop loop;
    private final RangeCalls calls;
    private final RegistryWalk walk = new RegistryWalk();
    private Set<Long> wanted = Set.of();
    private CompletableFuture<@Nullable Void> looking = CompletableFuture.completedFuture(null);
    private boolean isResting;
    private long askedNanos;
    /** The lowest id that was not allocated at the sample before the last, so no table with a lower one is still being created. */
    private long createdBelow;

    private long allocatedBelow;
    private long sampledNanos;

    /**
     * The tables that a status lists. Immutable.
     *
     * @param named whether tables are to be named
     * @param table 0: the ranges of all tables
     * @param problem why the table that was named has no id; empty if it has one or none was named
     */
    public record Listing(boolean named, long table, String problem) {
        public static final Listing WITHOUT_NAMES = new Listing(false, 0, "");

        public boolean isOfAll() {
            return table == 0 && problem.isEmpty();
        }

        public Collection<Row> rows(MasterState state) {
            return !problem.isEmpty()
                    ? Set.of()
                    : table == 0 ? state.rows().all() : state.rows().over(KeyRange.ofTable(table));
        }
    }

    public ListedTables(EventLoop loop, RangeCalls calls) {
        this.loop = loop;
        this.calls = calls;
    }

    public void tick(MasterState state) {
        loop.assertInside();
        if (loop.nanos() - sampledNanos >= CREATION_NANOS) {
            createdBelow = allocatedBelow;
            allocatedBelow = state.nextTable();
            sampledNanos = loop.nanos();
        }
    }

    /** Finds the table that is named, if any, and has the names of the tables to be listed looked up. */
    public void list(StatusRequest request, MasterState state, CompletableFuture<Listing> listed) {
        loop.assertInside();
        if (request.getTable().isEmpty()) {
            name(new Listing(true, 0, ""), state, listed);
            return;
        }
        LookedUp.ask(calls, request.getAccount(), request.getTable(), loop.nanos() + LOOK_UP_NANOS)
                .thenAccept(found -> loop.submit(() -> {
                    Registry table = found.table();
                    if (table == null) {
                        listed.complete(new Listing(true, 0, found.problem()));
                    } else {
                        name(new Listing(true, table.id(), ""), state, listed);
                    }
                }));
    }

    private void name(Listing listing, MasterState state, CompletableFuture<Listing> listed) {
        askedNanos = loop.nanos();
        want(listing.rows(state), state.nextTable());
        look();
        looking.thenRun(() -> listed.complete(listing));
        if (!listed.isDone()) {
            loop.schedule(MOMENT_NANOS, () -> listed.complete(listing));
        }
    }

    /** The tables of these rows, and of those that were wanted before as many as there is room for. */
    private void want(Collection<Row> rows, long nextTable) {
        Set<Long> wants = new LinkedHashSet<>();
        for (Row row : rows) {
            long first = row.range().start().table();
            long last = last(row.range(), nextTable);
            wants.add(first);
            for (long id = last; id > lowest(row.range(), first, last); id--) {
                wants.add(id);
            }
            if (wants.size() > NAMED_MAX) {
                break;
            }
        }
        wants.addAll(wanted);
        wants.remove(Registry.TABLE);
        wanted = new LinkedHashSet<>(wants.stream().limit(NAMED_MAX).toList());
    }

    /** The highest id of a table that may have keys in a range. */
    private static long last(KeyRange range, long nextTable) {
        long first = range.start().table();
        Key end = range.end();
        if (end == null) {
            return Math.max(first, nextTable - 1);
        }
        boolean isBeforeTable = end.equals(Key.beforeTable(end.table()));
        return Math.max(first, isBeforeTable ? end.table() - 1 : end.table());
    }

    /** The ids above this one may be that of the last table: a bound within a table names it, the end of the key space does not. */
    private static long lowest(KeyRange range, long first, long last) {
        return Math.max(first, last - (range.end() == null ? NEWEST_MAX : 1));
    }

    private void look() {
        if (!looking.isDone() || isResting) {
            return;
        }
        walk.want(wanted, createdBelow);
        if (walk.isUnderWay()) {
            looking = new CompletableFuture<>();
            page(PAGES_PER_LOOK);
        }
    }

    private void page(int left) {
        if (left == 0 || !walk.isUnderWay()) {
            rest();
            return;
        }
        calls.scan(walk.page(), loop.nanos() + PATIENCE_NANOS)
                .whenComplete((reply, failure) -> loop.submit(() -> read(reply, left)));
    }

    private void read(@Nullable ScanReply reply, int left) {
        if (walk.take(reply)) {
            page(left - 1);
        } else {
            rest();
        }
    }

    private void rest() {
        isResting = true;
        looking.complete(null);
        loop.schedule(walk.trouble().isEmpty() ? REST_NANOS : TROUBLED_REST_NANOS, () -> {
            isResting = false;
            if (loop.nanos() - askedNanos < ATTENTION_NANOS) {
                look();
            }
        });
    }

    /**
     * Adds the first and the last table of a range to its state.
     *
     * @param unnamed gets the ids of which nothing is known
     */
    public void describe(RangeState.Builder described, KeyRange range, MasterState state, Set<Long> unnamed) {
        loop.assertInside();
        long first = range.start().table();
        described.setFirstTable(table(first, state, unnamed));
        long last = last(range, state.nextTable());
        if (last > first) {
            long existing = last;
            while (isAbsent(existing, state) && existing - 1 > lowest(range, first, last)) {
                existing--;
            }
            described.setLastTable(table(isAbsent(existing, state) ? last : existing, state, unnamed));
        }
    }

    private boolean isAbsent(long id, MasterState state) {
        return walk.isNameless(id) && !state.drops().containsKey(id);
    }

    private RangeTable table(long id, MasterState state, Set<Long> unnamed) {
        RangeTable.Builder table = RangeTable.newBuilder().setId(id);
        TableName name = walk.known().get(id);
        Drop drop = state.drops().get(id);
        if (id == Registry.TABLE) {
            table.setState("system").setName("registry");
        } else if (drop != null) {
            table.setState("deleting").setAccount(drop.account()).setName(name == null ? drop.name() : name.table());
        } else if (name != null) {
            table.setAccount(name.account()).setName(name.table());
        } else if (walk.isDeleted(id)) {
            table.setState("deleted");
        } else {
            unnamed.add(id);
        }
        return table.build();
    }

    /** Why these have no names, as a sentence; empty if there are none. */
    public String whyMissing(Set<Long> unnamed) {
        if (unnamed.isEmpty()) {
            return "";
        }
        String what =
                unnamed.size() == 1 ? "1 table is shown by its id: " : unnamed.size() + " tables are shown by id: ";
        if (!walk.trouble().isEmpty()) {
            return what + "the registry cannot be read: " + walk.trouble();
        }
        if (unnamed.stream().anyMatch(id -> wanted.contains(id) && !walk.isNameless(id))) {
            return what + "the leader is still reading the registry; ask again";
        }
        return unnamed.stream().anyMatch(walk::isNameless)
                ? what + "the registry has no such entry yet; ask again"
                : what + "the leader keeps no more than " + NAMED_MAX + " names";
    }

    /** A drop has come to its end. */
    public void deleted(long id) {
        loop.assertInside();
        walk.deleted(id);
    }

    /** Forgets all, since this master no longer leads and does not see what is deleted. */
    public void clear() {
        loop.assertInside();
        wanted = Set.of();
        createdBelow = 0;
        allocatedBelow = 0;
        sampledNanos = loop.nanos() - CREATION_NANOS;
        walk.want(wanted, createdBelow);
    }
}
