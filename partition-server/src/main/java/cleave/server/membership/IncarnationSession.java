package cleave.server.membership;

import cleave.dfs.DfsException;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.server.handoff.HandoffsUnderWay;
import cleave.server.handoff.PreparedTargets;
import cleave.server.opening.Opening;
import cleave.server.opening.ReplayTurns;
import cleave.server.outside.Backoffs;
import cleave.server.outside.StoreException;
import cleave.server.range.AccountShares;
import cleave.server.range.ClusterLevel;
import cleave.server.range.Directory;
import cleave.server.range.FenceBarriers;
import cleave.server.range.Opened;
import cleave.server.range.Range;
import cleave.server.range.SlowRequests;
import cleave.server.range.TimestampLimit;
import cleave.wire.RangeRow;
import cleave.wire.RangeTrouble;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One incarnation of a server: the ranges that it serves, opens, prepares and hands over. Confined to the membership's
 * loop.
 *
 * <p>Orders are level-triggered: a range that is ordered, and neither served nor being opened, is opened, or finished
 * if it was prepared for a handoff. They begin in the order of the orders, hottest first, as many as the processor can do with, the next as
 * soon as one ends. A failed attempt is reported and, if the order persists, repeated after a while.
 */
final class IncarnationSession {
    private static final Logger LOG = LoggerFactory.getLogger(IncarnationSession.class);

    private final Incarnation incarnation;
    private final Outside outside;
    private final EventLoop loop;
    private final Directory directory;
    private final Consumer<String> dead;
    private final Fencing fencing;
    /** One for each loop, in their order. */
    private final List<FenceBarriers> fences;
    /** One for each loop, in their order. */
    private final List<ReplayTurns> turns;
    /** Seals of dead incarnations' fences that were asked for, of the last orders. */
    private final Map<Fence, CompletableFuture<Void>> seals = new HashMap<>();

    private final PreparedTargets prepared;
    private final HandoffsUnderWay handoffs;
    private final TreeMap<Long, Opening> openings = new TreeMap<>();
    private final TreeMap<Long, Failing> failing = new TreeMap<>();
    private long progressOfEnded;
    private List<RangeTrouble> failureReports = new ArrayList<>();
    /** Orders that were not begun, hottest first. */
    private final Deque<Row> waiting = new ArrayDeque<>();

    private List<Fence> fencesOfDead = List.of();
    private int nextLoop;
    private long nextRank;
    private boolean ended;

    /**
     * Everything that the incarnations of a server need. Immutable. A {@link Range.Outside} has only what a range may use:
     * not the targets of handoffs, nor the other loops.
     */
    record Outside(
            EventLoop loop,
            Membership.Self self,
            Membership.Outside server,
            Directory directory,
            AccountShares memory,
            SlowRequests slowRequests,
            TimestampLimit timestampLimit,
            ClusterLevel level,
            AtomicLong fileCounter) {
        /** The number of the loop that such a number stands for. */
        private int loop(long any) {
            return (int) Long.remainderUnsigned(any, server.rangeLoops().size());
        }

        /** The same for a range of this incarnation, in the loop of this number. */
        private Range.Outside ofRange(Incarnation incarnation, List<FenceBarriers> fences, int number) {
            return new Range.Outside(
                    incarnation,
                    server.rangeLoops().get(number),
                    server.dfs(),
                    server.masters(),
                    server.stores(),
                    server.readers(),
                    self.ranges(),
                    server.metrics(),
                    server.answerOrder(),
                    memory,
                    slowRequests,
                    timestampLimit,
                    level,
                    fences.get(number),
                    fileCounter);
        }
    }

    /** Consecutive failed attempts, and when the next may begin. */
    private record Failing(long version, int failures, long notBeforeNanos) {}

    /** @param dead called when a master says that this incarnation is dead */
    IncarnationSession(Incarnation incarnation, Outside outside, Consumer<String> dead) {
        this.incarnation = incarnation;
        this.outside = outside;
        this.loop = outside.loop();
        this.directory = outside.directory();
        this.dead = dead;
        this.fencing = new Fencing(incarnation, outside, dead);
        this.fences = outside.server().rangeLoops().stream()
                .map(each -> new FenceBarriers(
                        each, fencing.armed(), outside.server().metrics()))
                .toList();
        this.turns =
                outside.server().rangeLoops().stream().map(ReplayTurns::new).toList();
        this.prepared = new PreparedTargets(
                incarnation,
                loop,
                () -> outside.ofRange(incarnation, fences, outside.loop(nextLoop++)),
                directory,
                this::served,
                this::ended);
        this.handoffs = new HandoffsUnderWay(
                loop,
                incarnation,
                new HandoffsUnderWay.Outside(
                        outside.self().ranges().switchNanos(),
                        outside.server().masters(),
                        outside.server().targets(),
                        prepared,
                        directory,
                        dead,
                        outside.server().metrics()));
    }

    Incarnation incarnation() {
        return incarnation;
    }

    int openingCount() {
        return openings.size();
    }

    /** For how long the oldest barrier on its fence has not been answered; 0 if none is under way. */
    long oldestFenceBarrierNanos() {
        loop.assertInside();
        long now = loop.nanos();
        return fences.stream().mapToLong(each -> each.oldestNanos(now)).max().orElse(0);
    }

    /** Grows while openings make progress. */
    long openingProgress() {
        loop.assertInside();
        return progressOfEnded
                + openings.values().stream().mapToLong(Opening::progress).sum();
    }

    /** The reports since they were last taken. */
    List<RangeTrouble> takeFailureReports() {
        loop.assertInside();
        List<RangeTrouble> taken = failureReports;
        failureReports = new ArrayList<>();
        return taken;
    }

    PreparedTargets prepared() {
        return prepared;
    }

    HandoffsUnderWay handoffs() {
        return handoffs;
    }

    /** @param fencesOfDead of incarnations that are dead, and not known to be fenced */
    void carryOut(List<RangeRow> orders, List<Fence> fencesOfDead) {
        loop.assertInside();
        if (!ended) {
            fencing.want();
        }
        seals.keySet().retainAll(fencesOfDead);
        this.fencesOfDead = fencesOfDead;
        waiting.clear();
        for (RangeRow wire : orders) {
            Row order = Row.fromWire(wire);
            if (!ended && !prepared.ordered(order)) {
                waiting.add(order);
            }
        }
        openMore();
    }

    /** Each order is begun once at most: the next ones show what is still wanted. */
    private void openMore() {
        while (!ended && !waiting.isEmpty() && openings.size() < outside.self().openingsMax()) {
            Row order = waiting.remove();
            if (shouldOpen(order)) {
                open(
                        order,
                        fencesOfDead.stream()
                                .filter(fence -> order.owner() == null
                                        || fence.incarnation().equals(order.owner()))
                                .toList());
            }
        }
    }

    /** One seal of a fence serves all takeovers. No barrier on a deleted one succeeds either. */
    private CompletableFuture<Void> seal(Fence fence) {
        CompletableFuture<Void> asked = seals.get(fence);
        if (asked == null || asked.isCompletedExceptionally()) {
            asked = outside.server().dfs().seal(fence.path()).handle((length, failure) -> {
                if (failure != null
                        && !(EventLoop.cause(failure) instanceof DfsException answer
                                && answer.reason() == DfsException.Reason.DELETED)) {
                    throw new CompletionException(failure);
                }
                return null;
            });
            seals.put(fence, asked);
        }
        return asked;
    }

    private boolean shouldOpen(Row order) {
        if (openings.containsKey(order.id())) {
            return false;
        }
        Range served = directory.range(order.id());
        if (served != null) {
            if (served.ownership().epoch() < order.epoch()) {
                served.close("an order names epoch " + order.epoch()); // Then it is opened by the next order.
            }
            return false;
        }
        Failing failed = failing.get(order.id());
        return failed == null || (order.version() > failed.version() || loop.nanos() - failed.notBeforeNanos() >= 0);
    }

    private void open(Row order, List<Fence> toSeal) {
        LOG.info("opening range={} own={}", order, incarnation.equals(order.owner()));
        long began = loop.nanos();
        long mixed = order.id() * 0x9E3779B97F4A7C15L; // Consecutive ids should not share a loop.
        int inLoop = outside.loop(mixed >>> 32);
        Range.Outside ofRange = outside.ofRange(incarnation, fences, inLoop);
        CompletableFuture<Void> sealed =
                CompletableFuture.allOf(toSeal.stream().map(this::seal).toArray(CompletableFuture<?>[]::new));
        Opening opening = new Opening(ofRange, order, toSeal, sealed, turns.get(inLoop), nextRank++);
        openings.put(order.id(), opening);
        ofRange.loop()
                .submit(() -> opening.run()
                        .whenComplete((opened, failure) ->
                                opened(ofRange, opening, opened, EventLoop.cause(failure), began)));
    }

    /** Inside the range's loop. */
    private void opened(
            Range.Outside ofRange, Opening opening, @Nullable Opened opened, @Nullable Throwable failure, long began) {
        Range range = opened == null ? null : new Range(ofRange, opened.row(), this::ended);
        if (range != null && opened != null) {
            range.serve(opened);
        }
        loop.submit(() -> {
            if (openings.remove(opening.order().id(), opening)) {
                progressOfEnded += opening.progress();
            }
            if (range != null) {
                serve(range, opening, began);
            } else if (failure instanceof Opening.DeadIncarnation) {
                dead.accept(String.valueOf(failure.getMessage()));
            } else if (!ended) {
                failed(opening.order(), failure);
            }
            openMore();
        });
    }

    /** A range has ended. Inside its loop. */
    private void ended(Range range, Row row, Range.End how, String why) {
        loop.submit(() -> {
            directory.remove(range);
            switch (how) {
                case CLOSED -> {}
                case STORE_FAILED -> reportFailure(row, why, true);
                case DEAD -> dead.accept(why);
            }
        });
    }

    private void serve(Range range, Opening opening, long began) {
        if (ended) {
            range.close("the incarnation has ended");
            return;
        }
        double seconds = (loop.nanos() - began) / 1e9;
        boolean own = incarnation.equals(opening.order().owner());
        outside.server().metrics().opens.labels("opened").inc();
        outside.server().metrics().openSeconds.labels(own ? "own" : "takeover").observe(seconds);
        LOG.info("serving range={} seconds={}", range.ownership(), (float) seconds);
        served(range);
    }

    /** Forgets earlier failures to open a range that is now served. */
    private void served(Range range) {
        loop.assertInside();
        failing.remove(range.ownership().range());
        directory.put(range);
    }

    private void failed(Row order, @Nullable Throwable failure) {
        // Another server would meet the same damage in the DFS.
        boolean store = failure instanceof StoreException medium && medium.kind() != StoreException.Kind.STORED_DAMAGE;
        String reason = failure instanceof StoreException told ? StoreException.reason(told) : String.valueOf(failure);
        Failing before = failing.get(order.id());
        int failures = before == null ? 1 : before.failures() + 1;
        outside.server().metrics().opens.labels("failed").inc();
        LOG.warn("range could not be opened range={} failures={} reason={}", order, failures, reason);
        failing.put(
                order.id(), new Failing(order.version(), failures, loop.nanos() + Backoffs.OPENINGS.nanos(failures)));
        reportFailure(order, reason, store);
    }

    private void reportFailure(Row row, String reason, boolean store) {
        failureReports.add(RangeTrouble.newBuilder()
                .setRange(row.id())
                .setVersion(row.version())
                .setReason(reason)
                .setStore(store)
                .build());
    }

    /** Drops everything at once. */
    void end(String why) {
        loop.assertInside();
        ended = true;
        directory.all().forEach(range -> range.close(why));
        directory.clear();
        openings.values().forEach(Opening::cancel);
        openings.clear();
        fencing.end();
        prepared.end();
        handoffs.end();
        outside.server().metrics().ranges.set(0);
    }
}
