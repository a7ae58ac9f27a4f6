package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.LoadMeter;
import cleave.server.range.RangePhases.Action;
import cleave.server.range.RangePhases.Event;
import cleave.server.range.RangePhases.Phase;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.StoredSize;
import cleave.server.state.TableSize;
import cleave.wire.ErrorCode;
import cleave.wire.RangeLoad;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range under one epoch, from the moment that it is committed to be served here. Public methods, except {@link #serve}, may be called
 * on any thread; all else is confined to the range's loop.
 *
 * <p>{@link RangePhases} decides what it may do; I2 and I3 are explained there. The parts report events, and the range carries out the
 * actions that the table answers, one after the other. No action appends by itself: the committer drains its queue in a later event,
 * so nothing is appended before the last action of a transition. What callers ask for comes by way of {@link RangeRequests}.
 */
public final class Range {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final RangeContext with;
    private final Row committed;
    private final Ownership ownership;
    private final EndListener endListener;
    private final RangePhases phases = new RangePhases();
    private final LoadMeter load;
    private final RangeRequests requests;
    private final RangeHold hold;
    private final RangeScrub scrub;
    private @Nullable Parts parts;
    private boolean carryingOut;
    private End end = End.CLOSED;
    private volatile RangeLoad lastLoad;
    private volatile List<TableSize> tables = List.of();
    private volatile List<String> damagedFiles = List.of();
    private volatile long timestampsAhead;
    private boolean aheadTold;

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
    public Range(RangeContext outer, Row row, EndListener endListener) {
        this.committed = row;
        this.ownership = new Ownership(row.id(), row.epoch(), row.range());
        this.load = new LoadMeter(ownership, outer.loop().nanos());
        this.with = outer.metered(load::worked);
        this.endListener = endListener;
        this.requests = new RangeRequests(with, load, this);
        this.hold = new RangeHold(with, this);
        this.scrub = new RangeScrub(with, this);
        this.lastLoad = load.measure(null, with.loop().nanos());
    }

    /** Opens it, once all logs before its own are sealed and replayed. Called once, inside the range's loop. */
    public void serve(Opened opened) {
        with.loop().assertInside();
        if (phase() == Phase.CLOSED) {
            opened.log().close();
            opened.store().close();
            return;
        }
        CommitLog log = new CommitLog(with, opened.log(), this);
        Confirmer confirmer = new Confirmer(with, log, this);
        Committer committer = new Committer(with, opened, log, confirmer, this);
        RangeFiles files = with.files(ownership.range(), ownership.epoch());
        Checkpoints checkpoints = new Checkpoints(with, opened, files, committer, this);
        Publisher publisher = new Publisher(with, opened, files, log, committer, checkpoints, this);
        parts = new Parts(
                opened.store(),
                log,
                confirmer,
                committer,
                checkpoints,
                publisher,
                new Sizing(with.loop(), opened.store(), this));
        damagedFiles = opened.store().damagedFiles();
        scrub.opened(opened.store(), publisher, checkpoints);
        requests.opened(opened.store(), confirmer, committer);
        on(Event.OPENED, "it is opened");
    }

    private Parts parts() {
        if (parts == null) {
            throw new AssertionError(ownership + " is not opened");
        }
        return parts;
    }

    RangePhases.Phase phase() {
        return phases.phase();
    }

    /** Handles an event: changes the phase and carries out the actions. */
    void on(Event event, String why) {
        with.loop().assertInside();
        boolean outermost = !carryingOut;
        carryingOut = true;
        for (Action action : phases.on(event)) {
            carryOut(action, why);
        }
        if (outermost) {
            carryingOut = false;
            advance();
        }
    }

    /** Called when something has ended that a phase may wait for. */
    void advance() {
        with.loop().assertInside();
        if (carryingOut) {
            return; // Called again when that is done.
        }
        switch (phase()) {
            case SERVING -> {
                if (hold.isWanted() && parts().publisher().isQuiet()) {
                    on(Event.HOLD, "nothing is under way that would change the row");
                }
            }
            case ROLLING -> {
                if (parts().log().inFlight() == 0) {
                    on(Event.DRAINED, "the log is drained");
                }
            }
            case DRAINING -> {
                if (isDrained(parts())) {
                    on(Event.DRAINED, "the range is drained");
                }
            }
            default -> {
                // It waits for nothing else.
            }
        }
    }

    private static boolean isDrained(Parts parts) {
        return parts.committer().isIdle()
                && parts.confirmer().isIdle()
                && parts.log().inFlight() == 0;
    }

    private void carryOut(Action action, String why) {
        switch (action) {
            case BEGIN_WAITING -> requests.endWaiting(ErrorCode.OK);
            case REFUSE_WAITING -> {
                parts().confirmer().refuseWaiting();
                refuseQueue(parts(), ErrorCode.UNAVAILABLE, "the commit log is being replaced");
            }
            case LET_WAIT -> parts().committer().takeQueue().forEach(requests::begin);
            case SEAL -> parts().log().seal();
            case SETTLE -> parts().committer().settled(parts().log().sealedLength());
            case ROLL -> roll();
            case RESUME -> resume(parts());
            case FORGET_NEXT -> parts().publisher().neverUsed(parts().log().forgetNext());
            case GRANT_HOLD -> hold.granted(row());
            case REVOKE_HOLD -> hold.revoked(why);
            case REPORT_SEALED ->
                hold.sealed(parts().log().path(), parts().log().sealedLength());
            case CLOSE -> closeParts(why);
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
        parts.publisher().publishWaiting();
    }

    /** Takes this log as the next one: a published manifest names it as the last. */
    void published(DfsFile log) {
        hold.published();
        scrub.published();
        parts().log().published(log);
        on(Event.PUBLISHED, "a manifest is published");
    }

    /** The log before the current one is sealed: what has waited for that goes on. */
    void leftLogSealed() {
        Parts now = parts();
        now.publisher().leftLogSealed();
        advance();
        now.checkpoints().startIfDue(now.publisher().logs());
    }

    /** Not while a log that was left is unsealed: a hold that waits for it comes before another checkpoint. */
    boolean mayCheckpoint() {
        return phase().publishes() && !parts().log().isLeaving();
    }

    /** Publishes another log, unless the phase does not permit that or it is under way. */
    void roll() {
        parts().publisher().requestRoll();
    }

    /** Takes a checkpoint that was made and uploaded to the DFS. */
    void checkpointed(RangeStore.StoredCheckpoint stored) {
        parts().publisher().checkpointed(stored);
    }

    /** Makes a checkpoint if much would have to be replayed. */
    void shorten() {
        parts().checkpoints().shorten();
    }

    /** Publishes a checkpoint that had to wait. */
    void publishWaiting() {
        parts().publisher().publishWaiting();
    }

    /** The last published row. */
    Row row() {
        return parts == null ? committed : parts.publisher().row();
    }

    /** Notes that a record is durable and applied. */
    void applied(Group group) {
        Parts now = parts();
        requests.dropped(now.committer().dropped());
        now.checkpoints().logged(group.recordBytes(), now.publisher().logs());
        for (Effect effect : group.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                now.checkpoints().dropped(drop.table());
            }
        }
    }

    /**
     * Notes that something could not be read, and answers what to say of it. What the DFS itself holds damaged stays so, whoever opens
     * the range: then it goes on, for all that lies elsewhere. Any other failure ends the use of the store here.
     */
    ErrorCode unreadable(StoreException why) {
        if (why.kind() == StoreException.Kind.STORED_DAMAGE) {
            with.metrics().unreadable.inc();
            return ErrorCode.DAMAGED;
        }
        storeFailed(why);
        return ErrorCode.UNAVAILABLE;
    }

    /**
     * Notes that the store can no longer be used. Its caller may be in the middle of an operation, so the range closes
     * in a later event.
     */
    void storeFailed(StoreException why) {
        if (phase() == Phase.CLOSED) {
            return;
        }
        LOG.error(
                "store failed range={} kind={} reason={}",
                Row.idText(ownership.range()),
                why.kind(),
                StoreException.reason(why));
        with.loop().submit(() -> {
            if (phase() != Phase.CLOSED) {
                with.metrics().storeFailures.inc();
                close(End.STORE_FAILED, "the store failed: " + StoreException.reason(why));
            }
        });
    }

    void close(End how, String why) {
        if (phase() != Phase.CLOSED) {
            end = how;
            on(Event.CLOSE, why);
        }
    }

    private void closeParts(String why) {
        LOG.info("range closed range={} epoch={} why={}", Row.idText(ownership.range()), ownership.epoch(), why);
        requests.close();
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
        endListener.ended(this, row(), end, why);
    }

    /** Ends the range here without reporting it to the masters: its log and the map decide what becomes of it. */
    public void close(String why) {
        with.loop().submit(() -> close(End.CLOSED, why));
    }

    /** The hold of a handoff on this range. */
    public RangeHold hold() {
        return hold;
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
        return damagedFiles;
    }

    /** These are damaged in the DFS, and no other copy is left. */
    void damaged(List<String> files) {
        damagedFiles = files;
    }

    /** By how much its timestamps exceeded the limit at the last measurement, in ticks. */
    public long timestampsAhead() {
        return timestampsAhead;
    }

    /** Logs timestamps from the future, which an earlier owner gave, or this one before its clock was corrected. */
    private void judgeTimestamps() {
        long ahead = parts().committer().timestampsAhead();
        timestampsAhead = ahead;
        if (ahead >= Ticks.PER_SECOND && !aheadTold) {
            aheadTold = true;
            LOG.warn(
                    "timestamps are ahead of the masters' clock and rise by a tick each range={} seconds={}",
                    Row.idText(ownership.range()),
                    ahead / Ticks.PER_SECOND);
        } else if (ahead == 0 && aheadTold) {
            aheadTold = false;
            LOG.info("timestamps are those of the clock again range={}", Row.idText(ownership.range()));
        }
    }

    /** Schedules the next measurement of the load. */
    public void measure() {
        with.loop().submit(() -> {
            if (phase() != Phase.CLOSED && parts != null) {
                parts.sizing().ask();
                StoredSize size = parts.sizing().known();
                RangeLoad measured = load.measure(size, with.loop().nanos());
                lastLoad = damagedFiles.isEmpty()
                        ? measured
                        : measured.toBuilder().addAllDamagedFiles(damagedFiles).build();
                tables = size == null ? List.of() : size.tables();
                judgeTimestamps();
            }
        });
    }
}
