package cleave.server.membership;

import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.server.handoff.Handoff;
import cleave.server.handoff.Handoffs;
import cleave.server.handoff.Prepared;
import cleave.server.metrics.ServerMetrics;
import cleave.server.opening.Opening;
import cleave.server.outside.Masters;
import cleave.server.outside.StoreException;
import cleave.server.outside.Targets;
import cleave.server.policy.Backoff;
import cleave.server.range.Arrival;
import cleave.server.range.Directory;
import cleave.server.range.Hop;
import cleave.server.range.RangeContext;
import cleave.server.range.MemoryBudget;
import cleave.server.range.Opened;
import cleave.server.range.Range;
import cleave.server.range.TimestampLimit;
import cleave.wire.RangeRow;
import cleave.wire.RangeTrouble;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One incarnation of a server: what it serves, opens, prepares and hands over. Confined to the membership's loop.
 *
 * <p>Orders say what should be, again and again: whatever is ordered, and neither served nor being opened, is opened, or finished if
 * it was prepared for a handoff. An attempt that fails is reported and, if the order still stands after a while, repeated.
 */
final class IncarnationSession {
    private static final Logger LOG = LoggerFactory.getLogger(IncarnationSession.class);

    private final Incarnation incarnation;
    private final EventLoop loop;
    private final Membership.Self self;
    private final Membership.Outside outside;
    private final Directory directory;
    private final MemoryBudget budget;
    private final TimestampLimit timestampLimit;
    private final AtomicLong fileCounter;
    private final Events events;
    private final Prepared prepared;
    private final Handoffs handoffs;
    private final TreeMap<Long, Opening> openings = new TreeMap<>();
    private final TreeMap<Long, Failing> failing = new TreeMap<>();
    private List<RangeTrouble> troubles = new ArrayList<>();
    private int nextLoop;
    private boolean ended;

    /** Attempts that failed in a row, and when the next may begin. */
    private record Failing(long version, int failures, long notBeforeNanos) {}

    /** What a session asks and tells the membership. */
    interface Events {
        /** A master says that this incarnation is dead. */
        void dead(Incarnation incarnation, String why);
    }

    IncarnationSession(
            Incarnation incarnation,
            EventLoop loop,
            Membership.Self self,
            Membership.Outside outside,
            Directory directory,
            MemoryBudget budget,
            TimestampLimit timestampLimit,
            AtomicLong fileCounter,
            Events events) {
        this.incarnation = incarnation;
        this.loop = loop;
        this.self = self;
        this.outside = outside;
        this.directory = directory;
        this.budget = budget;
        this.timestampLimit = timestampLimit;
        this.fileCounter = fileCounter;
        this.events = events;
        this.prepared = new Prepared(incarnation, loop, new TargetHost());
        HandoffSurroundings surroundings = new HandoffSurroundings();
        this.handoffs = new Handoffs(directory, plan -> new Handoff(loop, incarnation, plan, surroundings));
    }

    Incarnation incarnation() {
        return incarnation;
    }

    int openingCount() {
        return openings.size();
    }

    /** Those since they were taken last. */
    List<RangeTrouble> takeTroubles() {
        List<RangeTrouble> taken = troubles;
        troubles = new ArrayList<>();
        return taken;
    }

    Prepared prepared() {
        return prepared;
    }

    Handoffs handoffs() {
        return handoffs;
    }

    void carryOut(List<RangeRow> orders) {
        for (RangeRow wire : orders) {
            Row order = Row.fromWire(wire);
            if (!ended && !prepared.ordered(order) && shouldOpen(order)) {
                open(order);
            }
        }
    }

    private boolean shouldOpen(Row order) {
        if (openings.containsKey(order.id()) || openings.size() >= self.openingsMax()) {
            return false;
        }
        Range served = directory.range(order.id());
        if (served != null) {
            if (served.ownership().epoch() < order.epoch()) {
                served.stop("an order names epoch " + order.epoch()); // Then it is opened by the next order.
            }
            return false;
        }
        Failing failed = failing.get(order.id());
        return failed == null || (order.version() > failed.version() || loop.nanos() - failed.notBeforeNanos() >= 0);
    }

    private void open(Row order) {
        LOG.info("opening range={} own={}", order, incarnation.equals(order.owner()));
        long began = loop.nanos();
        long mixed = order.id() * 0x9E3779B97F4A7C15L; // Ids that follow one another shall not share a loop.
        RangeContext with = context(mixed >>> 32);
        Opening opening = new Opening(with, order);
        openings.put(order.id(), opening);
        with.loop()
                .submit(() -> opening.run()
                        .whenComplete((opened, failure) -> opened(with, opening, opened, Hop.unwrap(failure), began)));
    }

    private RangeContext context(long inLoop) {
        List<? extends EventLoop> loops = outside.rangeLoops();
        return new RangeContext(
                incarnation,
                loops.get((int) Long.remainderUnsigned(inLoop, loops.size())),
                outside.dfs(),
                outside.masters(),
                outside.stores(),
                outside.readers(),
                self.ranges(),
                outside.metrics(),
                outside.answerOrder(),
                budget,
                timestampLimit,
                fileCounter);
    }

    /** Inside the range's loop. */
    private void opened(
            RangeContext with, Opening opening, @Nullable Opened opened, @Nullable Throwable failure, long began) {
        Range range = opened == null ? null : new Range(with, opened, new RangeOwner());
        loop.submit(() -> {
            openings.remove(opening.order().id(), opening);
            if (range != null) {
                serve(range, opening, began);
            } else if (failure instanceof Opening.DeadIncarnation) {
                events.dead(incarnation, String.valueOf(failure.getMessage()));
            } else if (!ended) {
                failed(opening.order(), failure);
            }
        });
    }

    private void serve(Range range, Opening opening, long began) {
        if (ended) {
            range.stop("the incarnation has ended");
            return;
        }
        double seconds = (loop.nanos() - began) / 1e9;
        boolean own = incarnation.equals(opening.order().owner());
        outside.metrics().opens.labels("opened").inc();
        outside.metrics().openSeconds.labels(own ? "own" : "takeover").observe(seconds);
        LOG.info("serving range={} seconds={}", range.ownership(), (float) seconds);
        failing.remove(opening.order().id());
        directory.put(range);
    }

    private void failed(Row order, @Nullable Throwable failure) {
        boolean store = failure instanceof StoreException;
        String reason =
                failure instanceof StoreException medium ? StoreException.reason(medium) : String.valueOf(failure);
        Failing before = failing.get(order.id());
        int failures = before == null ? 1 : before.failures() + 1;
        outside.metrics().opens.labels("failed").inc();
        LOG.warn("range could not be opened range={} failures={} reason={}", order, failures, reason);
        failing.put(
                order.id(),
                new Failing(order.version(), failures, loop.nanos() + Backoff.OPENINGS.delayNanos(failures)));
        trouble(order, reason, store);
    }

    private void trouble(Row row, String reason, boolean store) {
        troubles.add(RangeTrouble.newBuilder()
                .setRange(row.id())
                .setVersion(row.version())
                .setReason(reason)
                .setStore(store)
                .build());
    }

    /** Drops everything at once. */
    void end(String why) {
        ended = true;
        directory.all().forEach(range -> range.stop(why));
        directory.clear();
        openings.values().forEach(Opening::cancel);
        openings.clear();
        prepared.end();
        handoffs.end();
        outside.metrics().ranges.set(0);
    }

    private final class RangeOwner implements Range.Owner {
        @Override
        public void closed(Range range, String why) {
            loop.submit(() -> directory.remove(range));
        }

        @Override
        public void failed(Range range, Row row, String why) {
            loop.submit(() -> trouble(row, why, true));
        }

        @Override
        public void dead(String why) {
            loop.submit(() -> events.dead(incarnation, why));
        }
    }

    private final class TargetHost implements Prepared.Host {
        @Override
        public RangeContext context() {
            return IncarnationSession.this.context(nextLoop++);
        }

        @Override
        public boolean serves(Row row) {
            Range served = directory.range(row.id());
            return served != null && served.ownership().epoch() == row.epoch();
        }

        @Override
        public void expect(Row row, Arrival arrival) {
            directory.expect(row.id(), arrival);
        }

        @Override
        public void expectNoMore(Arrival arrival) {
            directory.expectNoMore(arrival);
        }

        @Override
        public CompletableFuture<Void> serve(RangeContext with, Opened opened) {
            Range range = new Range(with, opened, new RangeOwner());
            CompletableFuture<Void> served = new CompletableFuture<>();
            loop.submit(() -> {
                if (ended) {
                    range.stop("the incarnation has ended");
                    served.completeExceptionally(new Opening.Failed("the incarnation has ended"));
                    return;
                }
                LOG.info("serving range={} prepared=true", range.ownership());
                failing.remove(range.ownership().range());
                directory.put(range);
                served.complete(null);
            });
            return served;
        }
    }

    private final class HandoffSurroundings implements Handoff.Surroundings {
        @Override
        public long switchNanos() {
            return self.ranges().switchNanos();
        }

        @Override
        public Masters masters() {
            return outside.masters();
        }

        @Override
        public Targets targets() {
            return outside.targets();
        }

        @Override
        public Prepared prepared() {
            return prepared;
        }

        @Override
        public void replaced(List<Row> rows) {
            directory.replaced(rows);
        }

        @Override
        public void dead(String why) {
            events.dead(incarnation, why);
        }

        @Override
        public ServerMetrics metrics() {
            return outside.metrics();
        }
    }
}
