package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.model.FeatureLevels;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.manifest.DroppedTables;
import cleave.runtime.loop.Backoff;
import cleave.server.outside.Backoffs;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.range.RangeState.Checkpoint;
import cleave.server.range.RangeState.Event;
import cleave.server.state.LogPosition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a range's checkpoints: when enough was logged, when the log is old, or when a checkpoint frees space. One at a
 * time, as {@link RangeState} says: the next begins when the {@link Publisher} has published the last. Confined to the range's loop.
 *
 * <p>While the DFS is short of space only those checkpoints are made that free some.
 */
final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    /** A checkpoint is due at this number of logs, however short. */
    private static final int LOGS_MAX = 8;
    /** A log that is shorter than this part of the checkpoint threshold is replayed quickly. */
    private static final int LITTLE = 16;
    /**
     * Files up to this size are inlined in the manifest: RocksDB's MANIFEST and CURRENT, mostly a few hundred bytes, cost less there than as
     * two more files of the DFS. The size is bounded because the masters read all manifests for each sweep.
     */
    private static final int INLINE_BYTES_MAX = 8 << 10;
    /** The first no longer contains the dropped data, the second no longer needs the log with them. */
    private static final int CYCLES_TO_FREE = 2;

    private static final int NOT_SOON = -1;
    /** A checkpoint that found too little space was uploaded in part, which costs as much each time. */
    private static final Backoff SPACE = new Backoff(2_000_000_000L, 300_000_000_000L);

    private final Range.Outside outside;
    private final RangeStore store;
    private final RangeFiles files;
    private final long rangeId;
    private final KeyRange interval;
    private final Supplier<DroppedTables> droppedTables;
    private final StateMachine machine;
    private final StoreFailures failures;
    private final OneEvent ageing;
    private final OneEvent wanted;
    /** Waiting to be published. */
    private RangeStore.@Nullable StoredCheckpoint ready;

    private long replayable;
    /** How many logs a takeover would replay. */
    private int logs;

    private boolean reported;
    /** Number of the pause after a failure. */
    private long rests;
    /** How many checkpoints in a row failed because the DFS is short of space. */
    private int failuresForSpace;
    /** How many checkpoints are to be published although the DFS is short of space, because they free some. */
    private int cyclesToFree;
    /** The same for a checkpoint that begins as soon as one may; {@link #NOT_SOON} if there is none. */
    private int cyclesSoon = NOT_SOON;

    /** @param droppedTables their drop is durable */
    Checkpoints(
            Range.Outside outside,
            Opened opened,
            RangeFiles files,
            Supplier<DroppedTables> droppedTables,
            StateMachine machine,
            StoreFailures failures) {
        this.outside = outside;
        this.store = opened.store();
        this.files = files;
        this.rangeId = opened.row().id();
        this.interval = opened.row().range();
        this.droppedTables = droppedTables;
        this.machine = machine;
        this.failures = failures;
        this.ageing = new OneEvent(outside.loop(), this::aged);
        this.wanted = new OneEvent(outside.loop(), this::startWanted);
        this.replayable = opened.replayable();
        this.logs = opened.manifest().logs().size();
        outside.metrics().unpublishedBytes.inc((double) replayable);
    }

    /** The checkpoint that waits to be published, if there is one. */
    RangeStore.@Nullable StoredCheckpoint ready() {
        return ready;
    }

    /** Notes that this number of bytes was appended. */
    void logged(long bytes) {
        outside.loop().assertInside();
        replayable += bytes;
        outside.metrics().unpublishedBytes.inc((double) bytes);
        if (!reported && replayable > outside.settings().reportLogBytes()) {
            reported = true;
            LOG.warn("commit log grows, its publish is put off range={} bytes={}", id(), replayable);
        }
        startIfDue();
        ageing.after(outside.settings().checkpointAfterNanos());
    }

    /** Makes a checkpoint, if one can be made now and a takeover would replay much, or many logs. */
    void startIfDue() {
        outside.loop().assertInside();
        if (replayable >= outside.settings().checkpointLogBytes() || logs > LOGS_MAX) {
            start();
        }
    }

    private String id() {
        return Row.idText(rangeId);
    }

    private void aged() {
        if (!machine.isClosed() && replayable > 0) {
            start();
            // Again, for what is logged meanwhile, or if it could not be made now.
            ageing.after(outside.settings().checkpointAfterNanos());
        }
    }

    /** Makes a checkpoint, if one can be made now, unless only a little would have to be replayed without it. */
    void shorten() {
        outside.loop().assertInside();
        if (replayable > outside.settings().checkpointLogBytes() / LITTLE) {
            start();
        }
    }

    private void start() {
        boolean hasSpace = cyclesToFree > 0 || outside.dfs().space() == Dfs.Space.ROOMY;
        if (hasSpace && machine.state().mayCheckpoint()) {
            machine.on(Event.CHECKPOINT);
        }
    }

    /** Makes a checkpoint now. */
    void make() {
        outside.loop().assertInside();
        long began = outside.loop().nanos();
        outside.loop().whenDone(store.checkpoint(files, inlineMax()), (stored, failure) -> {
            if (machine.isClosed()) {
                return;
            }
            if (stored != null) {
                outside.metrics().checkpointSeconds.observe((outside.loop().nanos() - began) / 1e9);
                ready = stored;
                machine.on(Event.CHECKPOINT_MADE);
            } else {
                failed(failure);
            }
        });
    }

    /** Earlier versions cannot read what has inline files. */
    private int inlineMax() {
        return outside.level().permits(FeatureLevels.INLINE_FILES) ? INLINE_BYTES_MAX : 0;
    }

    private void failed(@Nullable Throwable failure) {
        if (failure instanceof StoreException why && why.kind() == StoreException.Kind.LOCAL_DAMAGE) {
            // It opens again from the last checkpoint and its logs, which have all that is lost here.
            failures.failed(why);
            return;
        }
        boolean forSpace = isForSpace(failure);
        failuresForSpace = forSpace ? failuresForSpace + 1 : 0;
        LOG.warn(
                "checkpoint failed range={} reason={}",
                id(),
                failure instanceof StoreException why ? StoreException.reason(why) : String.valueOf(failure));
        long rest = ++rests;
        machine.on(Event.CHECKPOINT_FAILED);
        long nanos = forSpace ? SPACE.nanos(failuresForSpace) : Backoffs.CALLS.longestNanos();
        outside.loop().schedule(nanos, () -> {
            if (rest == rests) {
                endRest();
                start();
            }
        });
        if (failuresForSpace == 1) {
            free(droppedTables.get().intervals().stream()
                    .map(tables -> new KeyRange(
                            KeyRange.ofTable(tables.first()).start(),
                            KeyRange.ofTable(tables.last()).end()))
                    .toList());
        }
    }

    private void endRest() {
        if (machine.state().checkpoint() == Checkpoint.RESTING) {
            rests++;
            machine.on(Event.RESTED);
        }
    }

    private static boolean isForSpace(@Nullable Throwable failure) {
        for (Throwable why = failure; why != null; why = why.getCause()) {
            if (why instanceof DfsException refusal && refusal.reason() == DfsException.Reason.NO_SPACE) {
                return true;
            }
        }
        return false;
    }

    /**
     * Notes that a table was dropped. If the DFS is short of space, the files with its data are given up now instead of
     * with a later checkpoint.
     */
    void dropped(long table) {
        if (outside.dfs().space() != Dfs.Space.ROOMY || failuresForSpace > 0) {
            free(List.of(KeyRange.ofTable(table)));
        }
    }

    private void free(List<KeyRange> dropped) {
        CompletableFuture<Void> compacted = null;
        for (KeyRange each : dropped) {
            KeyRange here = each.intersection(interval);
            if (here != null) {
                compacted =
                        compacted == null ? store.compact(here) : compacted.thenCompose(nothing -> store.compact(here));
            }
        }
        if (compacted == null || machine.isClosed()) {
            return;
        }
        outside.loop().whenDone(compacted, (nothing, failure) -> {
            if (failure != null) {
                LOG.warn("compaction failed range={} reason={}", id(), failure.toString());
            }
            startSoon(CYCLES_TO_FREE);
        });
    }

    private void startSoon(int cycles) {
        if (machine.isClosed()) {
            return;
        }
        cyclesSoon = Math.max(cyclesSoon, cycles);
        if (machine.state().permitsCheckpoint()) {
            cyclesToFree = Math.max(cyclesToFree, cyclesSoon);
            cyclesSoon = NOT_SOON;
            endRest();
            start();
        } else {
            wanted.after(Backoffs.CALLS.longestNanos());
        }
    }

    private void startWanted() {
        if (cyclesSoon != NOT_SOON) {
            startSoon(cyclesSoon);
        }
    }

    /**
     * Makes a checkpoint as soon as one can begin, because the last one names what is damaged in the DFS. If the DFS is short of space, it
     * waits until it is asked for again.
     */
    void renew() {
        outside.loop().assertInside();
        startSoon(0);
    }

    /** Notes how many logs a manifest names that was published. */
    void named(int published) {
        outside.loop().assertInside();
        logs = published;
    }

    /** Notes that the last checkpoint is published: nothing before its position need be replayed any more. */
    void published(@Nullable LogPosition position, LogPosition end) {
        outside.loop().assertInside();
        ready = null;
        machine.on(Event.CHECKPOINT_PUBLISHED);
        outside.metrics().unpublishedBytes.dec((double) replayable);
        replayable = position != null && position.path().equals(end.path())
                ? end.offset() - position.offset()
                : end.offset();
        outside.metrics().unpublishedBytes.inc((double) replayable);
        reported = false;
        failuresForSpace = 0;
        cyclesToFree = Math.max(0, cyclesToFree - 1);
        if (cyclesToFree > 0) {
            startSoon(cyclesToFree);
        }
    }

    void close() {
        outside.loop().assertInside();
        outside.metrics().unpublishedBytes.dec((double) replayable);
    }
}
