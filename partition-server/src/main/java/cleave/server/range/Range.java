package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Masters;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Readers;
import cleave.server.policy.AnswerOrder;
import cleave.server.policy.LoadMeter;
import cleave.server.range.RangeState.Action;
import cleave.server.range.RangeState.Event;
import cleave.server.range.RangeState.Phase;
import cleave.server.settings.RangeSettings;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import cleave.wire.ErrorCode;
import cleave.wire.RangeLoad;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range under one epoch, from the moment that it is committed to be served here. Public methods, except {@link #serve}, may be called
 * on any thread; all else is confined to the range's loop.
 *
 * <p>{@link RangeState} decides what it may do; I2 and I3 are explained there. The parts report events to the {@link StateMachine}, and
 * the range carries out the actions that it answers, one after the other. No action appends by itself: the committer drains its queue in
 * a later event, so nothing is appended before the last action of a transition. What callers ask for comes by way of {@link RangeRequests}.
 */
public final class Range {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final Outside outside;
    private final Row committed;
    private final Ownership ownership;
    private final EndListener endListener;
    private final StateMachine machine;
    private final StoreFailures failures;
    private final LoadMeter load;
    private final RangeRequests requests;
    private final RangeHold hold;
    private final RangeScrub scrub;
    private @Nullable Parts parts;
    private volatile RangeLoad lastLoad;
    private volatile List<TableSize> tables = List.of();
    private volatile long timestampsAhead;
    private boolean aheadLogged;

    /**
     * Everything that a range needs: its loop, its settings, and its interfaces to the outside. Immutable.
     *
     * @param self the incarnation that serves
     * @param memory shared by all ranges of the server, as are the slow requests and the file counter
     * @param fence of the incarnation, for the ranges of this loop
     * @param fileCounter makes file names unique in this process
     */
    public record Outside(
            Incarnation self,
            EventLoop loop,
            Dfs dfs,
            Masters masters,
            RangeStores stores,
            Readers readers,
            RangeSettings settings,
            ServerMetrics metrics,
            AnswerOrder answerOrder,
            AccountShares memory,
            SlowRequests slowRequests,
            TimestampLimit timestampLimit,
            ClusterLevel level,
            FenceBarriers fence,
            AtomicLong fileCounter) {
        public RangeFiles files(long range, long epoch) {
            return new RangeFiles(range, epoch, self, fileCounter);
        }

        /** The same for one range, whose work in the loop is measured. */
        Outside metered(LongConsumer worked) {
            return new Outside(
                    self,
                    new MeteredLoop(loop, worked),
                    dfs,
                    masters,
                    stores,
                    readers,
                    settings,
                    metrics,
                    answerOrder,
                    memory,
                    slowRequests,
                    timestampLimit,
                    level,
                    fence,
                    fileCounter);
        }
    }

    /** The parts that a range has once it is opened. */
    private record Parts(
            RangeStore store,
            CommitLog log,
            Confirmer confirmer,
            Committer committer,
            Checkpoints checkpoints,
            Publisher publisher,
            Sizing sizing) {}

    /** Why a range is no longer served here. */
    public enum End {
        CLOSED,
        /** Its local store failed; the row is as it was published last. */
        STORE_FAILED,
        /** A master says that this incarnation is dead. */
        DEAD
    }

    /** Called once at a range's end, inside the range's loop. */
    public interface EndListener {
        void ended(Range range, Row row, End end, String why);
    }

    /** @param row as it was committed, owned by this incarnation */
    public Range(Outside outer, Row row, EndListener endListener) {
        this.committed = row;
        this.ownership = new Ownership(row.id(), row.epoch(), row.range());
        this.load = new LoadMeter(ownership, outer.loop().nanos());
        this.outside = outer.metered(load::worked);
        this.endListener = endListener;
        this.machine = new StateMachine(outside.loop(), this::carryOut, this::isDrained);
        this.failures = new StoreFailures(outside, ownership, machine);
        this.requests = new RangeRequests(outside, ownership, load, machine, failures);
        this.hold = new RangeHold(
                outside,
                ownership,
                machine,
                this::row,
                () -> parts().checkpoints().shorten());
        this.scrub = new RangeScrub(outside, ownership, machine, failures);
        this.lastLoad = load.measure(null, outside.loop().nanos());
    }

    /** Opens it, once all logs before its own are sealed and replayed. Called once, inside the range's loop. */
    public void serve(Opened opened) {
        outside.loop().assertInside();
        if (machine.isClosed()) {
            opened.log().close();
            opened.store().close();
            return;
        }
        CommitLog log = new CommitLog(outside, opened.log(), machine);
        Confirmer confirmer = new Confirmer(outside, log, machine);
        Committer committer = new Committer(outside, opened, log, confirmer, machine, failures, this::applied);
        RangeFiles files = outside.files(ownership.range(), ownership.epoch());
        Checkpoints checkpoints = new Checkpoints(outside, opened, files, committer::dropped, machine, failures);
        Publisher publisher = new Publisher(outside, opened, files, log, committer, checkpoints, machine);
        parts = new Parts(
                opened.store(),
                log,
                confirmer,
                committer,
                checkpoints,
                publisher,
                new Sizing(outside.loop(), opened.store(), failures));
        failures.damaged(opened.store().damagedFiles());
        scrub.opened(opened.store(), publisher, checkpoints);
        requests.opened(opened.store(), confirmer, committer);
        machine.on(Event.OPENED);
    }

    private Parts parts() {
        if (parts == null) {
            throw new AssertionError(ownership + " is not opened");
        }
        return parts;
    }

    private boolean isDrained() {
        boolean isAnswered = parts().committer().isIdle() && parts().confirmer().isIdle();
        return parts().log().inFlight() == 0 && (machine.phase() == Phase.ROLLING || isAnswered);
    }

    private void carryOut(Action action, Event event, String why) {
        switch (action) {
            case BEGIN_WAITING -> requests.endWaiting(ErrorCode.OK);
            case REFUSE_WAITING -> {
                parts().confirmer().refuseWaiting();
                refuseQueue(parts(), ErrorCode.UNAVAILABLE, "the commit log is being replaced");
            }
            case LET_WAIT -> parts().committer().takeQueue().forEach(requests::begin);
            case SEAL -> parts().log().seal();
            case SETTLE -> parts().committer().settled(parts().log().sealedLength());
            case CREATE_LOG -> parts().publisher().createLog();
            case REPORT_PUBLISHED -> {
                hold.published();
                scrub.published();
            }
            case RESUME -> resume(parts());
            case FORGET_NEXT -> parts().publisher().neverUsed(parts().log().forgetNext());
            case MAKE_CHECKPOINT -> parts().checkpoints().make();
            case CHECKPOINT_IF_DUE -> parts().checkpoints().startIfDue();
            case GRANT_HOLD -> hold.granted(row());
            case REVOKE_HOLD -> hold.revoked(why);
            case REPORT_SEALED ->
                hold.sealed(parts().log().path(), parts().log().sealedLength());
            case CLOSE -> closeParts(event, why);
            case GIVE_UP -> parts().committer().lost();
        }
    }

    private static void refuseQueue(Parts parts, ErrorCode code, String why) {
        parts.committer().takeQueue().forEach(change -> change.refuse(code, why));
    }

    private void resume(Parts parts) {
        parts.log().resume();
        LOG.info(
                "range continues in a new log range={} log={}",
                Row.idText(ownership.range()),
                parts.log().path());
        parts.committer().drainSoon();
        hold.resumed();
    }

    /** The last published row. */
    private Row row() {
        return parts == null ? committed : parts.publisher().row();
    }

    /** Notes that a record is durable and applied. */
    private void applied(Group group) {
        Parts now = parts();
        requests.dropped(now.committer().dropped());
        now.checkpoints().logged(group.recordBytes());
        for (Effect effect : group.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                now.checkpoints().dropped(drop.table());
            }
        }
    }

    private void closeParts(Event event, String why) {
        LOG.info("range closed range={} epoch={} why={}", Row.idText(ownership.range()), ownership.epoch(), why);
        if (parts != null) {
            parts.log().close();
            refuseQueue(parts, ErrorCode.NOT_OWNER, requests.textOf(ErrorCode.NOT_OWNER));
            parts.confirmer().refuseWaiting();
            parts.checkpoints().close();
            parts.publisher().close();
        }
        hold.close();
        requests.endWaiting(ErrorCode.NOT_OWNER);
        if (parts != null) {
            parts.store().close();
        }
        End end = switch (event) {
            case STORE_FAILED -> End.STORE_FAILED;
            case DEAD -> End.DEAD;
            default -> End.CLOSED;
        };
        endListener.ended(this, row(), end, why);
    }

    /** Ends the range here without reporting it to the masters: its log and the map decide what becomes of it. */
    public void close(String why) {
        outside.loop().submit(() -> machine.on(Event.CLOSE, why));
    }

    /** The hold of a handoff on this range. */
    public RangeHold hold() {
        return hold;
    }

    /** May be read on any thread. */
    RangeState.Phase phase() {
        return machine.phase();
    }

    public Ownership ownership() {
        return ownership;
    }

    /** Looks for damage in what it has at rest. */
    public RangeScrub scrub() {
        return scrub;
    }

    /** Its requests. */
    public RangeRequests requests() {
        return requests;
    }

    /** Its last measured load. */
    public RangeLoad load() {
        return lastLoad;
    }

    /** The last measured sizes of its tables. */
    public List<TableSize> tables() {
        return tables;
    }

    /** The files of its checkpoints that the DFS holds damaged, by their paths: what lies in their bad blocks cannot be read. */
    public List<String> damagedFiles() {
        return failures.damagedFiles();
    }

    /** By how much its timestamps exceeded the limit at the last measurement, in ticks. */
    public long timestampsAhead() {
        return timestampsAhead;
    }

    /** Logs timestamps from the future, which an earlier owner gave, or this one before its clock was corrected. */
    private void judgeTimestamps() {
        long ahead = parts().committer().timestampsAhead();
        timestampsAhead = ahead;
        if (ahead >= Ticks.PER_SECOND && !aheadLogged) {
            aheadLogged = true;
            LOG.warn(
                    "timestamps are ahead of the masters' clock and rise by a tick each range={} seconds={}",
                    Row.idText(ownership.range()),
                    ahead / Ticks.PER_SECOND);
        } else if (ahead == 0 && aheadLogged) {
            aheadLogged = false;
            LOG.info("timestamps are those of the clock again range={}", Row.idText(ownership.range()));
        }
    }

    /** Schedules the next measurement of the load. */
    public void measure() {
        outside.loop().submit(() -> {
            if (!machine.isClosed() && parts != null) {
                parts.sizing().ask();
                StoredSize size = parts.sizing().known();
                RangeLoad measured = load.measure(size, outside.loop().nanos());
                lastLoad = damagedFiles().isEmpty()
                        ? measured
                        : measured.toBuilder()
                                .addAllDamagedFiles(damagedFiles())
                                .build();
                tables = size == null ? List.of() : size.tables();
                judgeTimestamps();
            }
        });
    }
}
