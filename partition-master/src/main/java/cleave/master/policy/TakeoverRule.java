package cleave.master.policy;

import cleave.master.policy.TakeoverMemory.Failure;
import cleave.master.policy.TakeoverMemory.Order;
import cleave.master.policy.TakeoverMemory.StoreFailure;
import cleave.master.policy.TakeoverPlanner.Candidate;
import cleave.master.policy.TakeoverPlanner.Choice;
import cleave.master.policy.TakeoverPlanner.Orphan;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * Decides which server takes over which range. Stateless: a function of the view, the memory and the time.
 *
 * <p>A range without a live owner is ordered from the server with the least load. What becomes of the order:
 * <ul>
 * <li>The server commits the takeover: the row has another version, so the order is settled and dropped.
 * <li>The server dies: the order is dropped, and the same decision orders the range from another server.
 * <li>The server reports a failure, or does not commit in time: the order is dropped, the range rests, longer after each failure unless
 * another server may do better at once, and is then ordered anew, preferably from another server.
 * </ul>
 *
 * <p>A range whose store fails at its live owner, as on a full disk, is given to a server that has space. The owner has consented by
 * reporting that it does not serve the range, and the data are in the DFS.
 *
 * <p>Losing the memory with the leadership is safe. The new leader may order from one server what another is still opening; the state
 * machine accepts the commit that comes first.
 */
public final class TakeoverRule {
    /** How long the failure of a store counts. */
    public static final long STORE_FAILURE_NANOS = 30_000_000_000L;

    private static final long REST_NANOS = 250_000_000;
    private static final long REST_NANOS_MAX = 30_000_000_000L;
    private static final int REST_DOUBLINGS_MAX = 7;
    private static final int FAILURES_FOR_PATIENCE_MAX = 4;
    /** A server that makes progress, but does not commit, has this many times the patience; or more, if it has many orders. */
    private static final int PROGRESS_FACTOR = 16;
    /** Each order of a server adds this many times the patience, because the server opens its ranges one after the other. */
    private static final int PROGRESS_FACTOR_OF_ORDER = 2;
    /** How often a range's store fails at an owner that reports enough space, before another server gets the range. */
    private static final int STORE_FAILURES_MAX = 2;
    /** How long after giving a range away it may be given away again. */
    private static final long GIVE_AWAY_NANOS = 5_000_000_000L;

    private final TakeoverView view;
    private final long now;
    private final List<Failed> failed = new ArrayList<>();
    private final List<Ordered> ordered = new ArrayList<>();
    private final List<GivenAway> givenAway = new ArrayList<>();
    // The memory, as this decision changes it.
    private TreePMap<Long, Order> orders;
    private TreePMap<Incarnation, TreePSet<Long>> ordersByTaker;
    private TreePMap<Long, Long> orphanedSince;
    private TreePMap<Long, Failure> failures;
    private TreePMap<Long, StoreFailure> storeFailures;

    /** A server is to take a range over. */
    public record Ordered(Row row, Incarnation taker) {}

    /** An opening has failed. */
    public record Failed(long range, Failure failure) {}

    /**
     * A range leaves a live owner at which its store fails.
     *
     * @param failures of the store
     */
    public record GivenAway(Row row, Incarnation taker, int failures, Handoff command) {}

    /** A server's report that it could not open a range. */
    public record Report(Row row, Incarnation at, String reason, boolean ofStore) {}

    /**
     * The decisions, and the memory after them. Immutable.
     *
     * @param memory to be passed to the next decision
     */
    public record Result(List<Failed> failed, List<Ordered> ordered, List<GivenAway> givenAway, TakeoverMemory memory) {
        public Result {
            failed = List.copyOf(failed);
            ordered = List.copyOf(ordered);
            givenAway = List.copyOf(givenAway);
        }

        /** The servers with new orders. */
        public SortedSet<Incarnation> takers() {
            TreeSet<Incarnation> takers = new TreeSet<>();
            ordered.forEach(each -> takers.add(each.taker()));
            return takers;
        }
    }

    private TakeoverRule(TakeoverView view, TakeoverMemory memory, long now) {
        this.view = view;
        this.now = now;
        orders = memory.orders();
        ordersByTaker = memory.ordersByTaker();
        orphanedSince = memory.orphanedSince();
        failures = memory.failures();
        storeFailures = memory.storeFailures();
    }

    /** Must be called every tick, and after a server was declared dead. */
    public static Result decide(TakeoverView view, TakeoverMemory memory, long now) {
        TakeoverRule rule = new TakeoverRule(view, memory, now);
        SortedSet<Long> orphans = view.state().orphans();
        rule.noteOrphans(orphans);
        rule.dropSettled();
        rule.failOverdue();
        if (view.mayOrder()) {
            rule.order(orphans);
        }
        rule.giveAway();
        return rule.result();
    }

    /** Notes that a server could not open a range. A failure of an order that the server no longer has says nothing. */
    public static Result reported(TakeoverView view, TakeoverMemory memory, Report report, long now) {
        TakeoverRule rule = new TakeoverRule(view, memory, now);
        rule.hear(report);
        return rule.result();
    }

    private Result result() {
        return new Result(
                failed,
                ordered,
                givenAway,
                new TakeoverMemory(orders, ordersByTaker, orphanedSince, failures, storeFailures));
    }

    private @Nullable Row row(long range) {
        return view.state().rows().row(range);
    }

    private void noteOrphans(SortedSet<Long> orphans) {
        for (long range : orphanedSince.keySet()) {
            orphanedSince = orphans.contains(range) ? orphanedSince : orphanedSince.minus(range);
        }
        for (long range : orphans) {
            orphanedSince = orphanedSince.containsKey(range) ? orphanedSince : orphanedSince.plus(range, now);
        }
    }

    private void dropSettled() {
        orders.forEach((range, order) -> {
            if (isSettled(row(range), order)) {
                drop(range, order);
            }
        });
        for (long range : failures.keySet()) {
            Row row = row(range);
            if (row == null || view.isServed(row)) {
                failures = failures.minus(range);
            }
        }
    }

    private boolean isSettled(@Nullable Row row, Order order) {
        return row == null
                || row.version() != order.version()
                || view.state().isLive(row.owner())
                || !view.state().isLive(order.taker());
    }

    private void drop(long range, Order order) {
        TreePSet<Long> left =
                ordersByTaker.getOrDefault(order.taker(), TreePSet.empty()).minus(range);
        orders = orders.minus(range);
        ordersByTaker = left.isEmpty() ? ordersByTaker.minus(order.taker()) : ordersByTaker.plus(order.taker(), left);
    }

    private void failOverdue() {
        orders.forEach((range, order) -> {
            if (isOverdue(range, order)) {
                fail(range, order.taker(), "did not commit the takeover in time", false);
            }
        });
    }

    /**
     * A server that makes progress keeps its order: another one would begin anew, and compete with it for what both use. The progress is
     * that of all its openings together, since some of them may wait for others; so the time is bounded.
     */
    private boolean isOverdue(long range, Order order) {
        long patience = patience(range);
        long taken = now - order.since();
        Long progress = view.servers().openingProgressAt(order.taker());
        return taken >= patience
                && (progress == null
                        || now - progress >= patience
                        || taken >= Math.max(patience, progressFactor(order.taker()) * view.patienceNanos()));
    }

    private long progressFactor(Incarnation taker) {
        int orders = ordersByTaker.getOrDefault(taker, TreePSet.empty()).size();
        return Math.max(PROGRESS_FACTOR, PROGRESS_FACTOR_OF_ORDER * orders);
    }

    /** Opening may legitimately take long, so each failure extends the time that the next server is given. */
    private long patience(long range) {
        Failure failure = failures.get(range);
        int doublings = failure == null ? 0 : Math.min(failure.count(), FAILURES_FOR_PATIENCE_MAX);
        return view.patienceNanos() << doublings;
    }

    /** @param elsewhere another server may succeed: it need not wait because of failures here, however many */
    private void fail(long range, Incarnation at, String reason, boolean elsewhere) {
        Failure before = failures.get(range);
        int count = before == null ? 1 : before.count() + 1;
        int doublings = elsewhere ? 0 : Math.min(count - 1, REST_DOUBLINGS_MAX);
        long rest = Math.min(REST_NANOS << doublings, REST_NANOS_MAX);
        Failure failure = new Failure(count, at, reason, now + rest);
        failures = failures.plus(range, failure);
        failed.add(new Failed(range, failure));
        Order order = orders.get(range);
        if (order != null) {
            drop(range, order);
        }
    }

    private boolean rests(long range) {
        Failure failure = failures.get(range);
        return failure != null && failure.rests(now);
    }

    private void order(SortedSet<Long> orphans) {
        List<Orphan> open = new ArrayList<>();
        for (long range : orphans) {
            if (!orders.containsKey(range) && !rests(range)) {
                Failure failure = failures.get(range);
                open.add(new Orphan(range, view.servers().weight(range), failure == null ? null : failure.at()));
            }
        }
        if (open.isEmpty()) {
            return;
        }
        for (Choice choice : TakeoverPlanner.plan(open, candidates(), view.opensPerServer())) {
            Row row = row(choice.range());
            if (row != null) {
                TreePSet<Long> others = ordersByTaker.getOrDefault(choice.taker(), TreePSet.empty());
                orders = orders.plus(row.id(), new Order(row.version(), choice.taker(), now));
                ordersByTaker = ordersByTaker.plus(choice.taker(), others.plus(row.id()));
                ordered.add(new Ordered(row, choice.taker()));
            }
        }
    }

    /**
     * Draining servers only if there are no others, and servers with little disk space, a wrong clock or no answers of the DFS only if
     * there are no draining ones either.
     */
    private List<Candidate> candidates() {
        List<Candidate> candidates = new ArrayList<>();
        List<Candidate> draining = new ArrayList<>();
        List<Candidate> aside = new ArrayList<>();
        for (Incarnation server : view.servers().incarnations()) {
            if (view.state().isLive(server)) {
                List<Candidate> kind = view.servers().isAside(server, now)
                        ? aside
                        : view.state().isDraining(server) ? draining : candidates;
                kind.add(candidate(server));
            }
        }
        return !candidates.isEmpty() ? candidates : !draining.isEmpty() ? draining : aside;
    }

    private Candidate candidate(Incarnation server) {
        TreePSet<Long> opening = ordersByTaker.getOrDefault(server, TreePSet.empty());
        double weight = view.servers().weightOf(server, view.state().rows());
        for (long range : opening) {
            weight += view.servers().weight(range);
        }
        return new Candidate(server, weight, opening.size());
    }

    /** All that leave are planned together, so that no server gets more of them than it may open at once while others get none. */
    private void giveAway() {
        List<Orphan> leaving = new ArrayList<>();
        storeFailures.forEach((range, failure) -> {
            Row row = row(range);
            Incarnation owner = row == null ? null : row.owner();
            if (row == null || owner == null || isOver(row, failure)) {
                storeFailures = storeFailures.minus(range);
            } else if (mustLeave(row, owner, failure)) {
                leaving.add(new Orphan(range, view.servers().weight(range), owner));
            }
        });
        if (leaving.isEmpty()) {
            return;
        }
        List<Candidate> roomy = candidates().stream()
                .filter(each -> !view.servers().isAside(each.incarnation(), now))
                .toList();
        for (Choice choice : TakeoverPlanner.plan(leaving, roomy, view.opensPerServer())) {
            giveAway(choice.range(), choice.taker());
        }
    }

    private boolean isOver(Row row, StoreFailure failure) {
        return !view.state().isLive(row.owner())
                || row.epoch() > failure.version()
                || now - failure.last() >= STORE_FAILURE_NANOS;
    }

    private boolean mustLeave(Row row, Incarnation owner, StoreFailure failure) {
        return (failure.count() >= STORE_FAILURES_MAX || view.servers().isLowOnSpace(owner))
                && now >= failure.until()
                && !view.inHandoff().test(row.id())
                && !view.isServed(row);
    }

    private void giveAway(long range, Incarnation taker) {
        Row row = row(range);
        StoreFailure failure = storeFailures.get(range);
        Incarnation owner = row == null ? null : row.owner();
        String manifest = row == null ? null : row.manifest();
        if (row == null || failure == null || owner == null || manifest == null || owner.equals(taker)) {
            return; // Its owner is the only server with space.
        }
        if (row.version() != failure.version()) {
            return; // Its owner has published since it reported that, so it may serve by now.
        }
        Handoff command = new Handoff(
                owner,
                List.of(new SourceRow(range, row.version(), true)),
                List.of(new TargetRow(row.range(), taker, manifest)));
        givenAway.add(new GivenAway(row, taker, failure.count(), command));
        storeFailures = storeFailures.plus(range, failure.givenAway(now + GIVE_AWAY_NANOS));
        failures = failures.minus(range); // They were the owner's: the new owner may begin at once.
    }

    private void hear(Report report) {
        Row row = report.row();
        boolean isOwner = report.at().equals(row.owner());
        if (report.ofStore() && isOwner) {
            StoreFailure before = storeFailures.get(row.id());
            int count = before == null ? 1 : before.count() + 1;
            long until = before == null ? now : before.until();
            storeFailures = storeFailures.plus(row.id(), new StoreFailure(row.version(), count, now, until));
        }
        Order order = orders.get(row.id());
        boolean wasAsked = order != null && order.taker().equals(report.at());
        if ((wasAsked || isOwner) && !rests(row.id())) {
            boolean elsewhere = report.ofStore()
                    && view.servers().incarnations().stream()
                            .anyMatch(each -> !view.servers().isAside(each, now));
            fail(row.id(), report.at(), report.reason(), elsewhere);
        }
    }
}
