package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.Backoffs;
import cleave.server.range.RangeState.Event;
import cleave.server.range.RangeState.Phase;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current commit log of a range; during a roll, the next one; and after it, until it is sealed, the one that was left.
 * {@link RangeState} decides when they may be used, and learns of their failures. Confined to the range's loop.
 *
 * <p>Invariant I2: a barrier goes to the newest log that is published. A new owner seals that one too before it serves.
 */
final class CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);

    /** Maximum number of attempts to seal a closed log; after that, its sealed length is left to the next owner. */
    private static final int SEALS_WHEN_CLOSED = 8;

    private final EventLoop loop;
    private final Dfs dfs;
    private final StateMachine machine;
    private DfsFile current;
    /** The newest log that is published: in a roll the next one, otherwise the current one. */
    private DfsFile newest;
    /** The log before the current one, until it is sealed; otherwise the current one. */
    private DfsFile left;
    /** At how many barriers a log is replaced. */
    private final long barriersMax;
    /** Barriers that were sent to the newest log. */
    private long barriers;
    /** Length of the current log, including appends in flight. */
    private long end;
    /** Length of the part of the current log that is known to be durable. */
    private long durable;
    /** Number of the next record of the current log. */
    private long sequence = LogPosition.FIRST_SEQUENCE;
    /** Number of appends to the current log in flight. */
    private int inFlight;

    private long sealedLength;
    private @Nullable LogPosition ended;

    /** The log is named by the range's published manifest. */
    CommitLog(Range.Outside outside, DfsFile published, StateMachine machine) {
        this.loop = outside.loop();
        this.dfs = outside.dfs();
        this.barriersMax = dfs.barriersPerFile();
        this.current = published;
        this.newest = published;
        this.left = published;
        this.machine = machine;
    }

    /** Number of the next record. */
    long sequence() {
        return sequence;
    }

    int inFlight() {
        return inFlight;
    }

    /** Length of the current log. */
    long length() {
        return end;
    }

    /** The path of the current log. */
    String path() {
        return current.path();
    }

    /** The end of the log before the current one; null if that is the first. */
    @Nullable
    LogPosition ended() {
        return ended;
    }

    /**
     * Appends a record and returns the position behind it. Only in phases that append. The ending receives whether it
     * is durable, after the state has changed for a failure.
     */
    LogPosition append(ByteBuffer record, Group group, Consumer<Boolean> ending) {
        loop.assertInside();
        Invariant.check(machine.phase().appends(), "append to %s in phase %s", path(), machine.phase());
        DfsFile log = current;
        end += record.remaining();
        sequence++;
        inFlight++;
        LogPosition behind = new LogPosition(path(), end, sequence);
        loop.whenDone(
                log.append(UnsafeByteOperations.unsafeWrap(record), group.purpose(), group.request(), group.times()),
                (length, failure) -> {
                    if (log == current) {
                        inFlight--;
                    }
                    if (length == null) {
                        failed(log, failure);
                    } else {
                        Invariant.check(length == behind.offset(), "append ended at %s, not at %s", length, behind);
                        durable = log == current ? Math.max(durable, length) : durable;
                    }
                    ending.accept(length != null);
                    if (machine.isClosed() && log == current && inFlight == 0) {
                        log.close();
                    }
                });
        return behind;
    }

    /**
     * Sends a barrier. Only in phases that confirm. The ending receives whether the log was not sealed when the barrier
     * reached it.
     */
    void barrier(Consumer<Barrier> ending) {
        loop.assertInside();
        DfsFile log = newest;
        if (++barriers >= barriersMax) {
            machine.on(Event.ROLL); // At each barrier anew, until the phase permits it and it has succeeded.
        }
        loop.whenDone(log.barrier(), (nothing, failure) -> {
            if (failure == null) {
                ending.accept(Barrier.CONFIRMED);
            } else if (isNext(log) || (log == current && machine.phase() != Phase.ROLLING)) {
                failed(log, failure);
                ending.accept(Barrier.REFUSED);
            } else {
                ending.accept(Barrier.PROVED_NOTHING); // A log that was left is sealed by this range itself.
            }
        });
    }

    /** The result of a barrier. */
    enum Barrier {
        CONFIRMED,
        REFUSED,
        /** Its log was left in a roll, or the fence is none any more. Another one must be sent. */
        PROVED_NOTHING
    }

    private void failed(DfsFile log, @Nullable Throwable failure) {
        if (log != current && !isNext(log)) {
            return;
        }
        String why = String.valueOf(failure == null ? null : failure.getMessage());
        if (machine.phase().confirms() || isNext(log)) {
            LOG.warn("commit log failed log={} reason={}", log.path(), why);
        }
        machine.on(isNext(log) ? Event.NEXT_LOG_FAILED : Event.LOG_FAILED, why);
    }

    private boolean isNext(DfsFile log) {
        return log == newest && newest != current;
    }

    /** Takes this log as the next one: a published manifest names it as the last. */
    void published(DfsFile log) {
        loop.assertInside();
        Invariant.check(newest == current, "rolled to %s before %s was reached", log.path(), newest.path());
        newest = log;
        barriers = 0;
    }

    /** Drops the next log, to which nothing was appended; answers its path. */
    String forgetNext() {
        loop.assertInside();
        DfsFile unused = newest;
        Invariant.check(unused != current, "there is no log behind %s", path());
        unused.close();
        newest = current;
        return unused.path();
    }

    /** Seals the current log. */
    void seal() {
        loop.assertInside();
        seal(current, 0);
    }

    /** Repeated until there is an answer: a log that is neither the last nor sealed cannot be read to its end by others. */
    private void seal(DfsFile log, int failures) {
        if (isLeftToOthers(log)) {
            return;
        }
        loop.whenDone(dfs.seal(log.path()), (length, failure) -> {
            if (isLeftToOthers(log)) {
                return;
            }
            String name = log == current ? "commit log" : "commit log that was left";
            if (length != null) {
                sealed(log, length);
            } else if (isFinal(failure) || (machine.isClosed() && failures >= SEALS_WHEN_CLOSED)) {
                String why = "the " + name + " is lost: " + (failure == null ? "" : failure.getMessage());
                machine.on(log == current ? Event.LOG_LOST : Event.CLOSE, why);
            } else {
                LOG.warn(
                        "{} {} cannot be sealed yet log={} reason={}",
                        log == current ? "own" : "a",
                        name,
                        log.path(),
                        String.valueOf(failure));
                loop.schedule(Backoffs.CALLS.nanos(failures + 1), () -> seal(log, failures + 1));
            }
        });
    }

    /** When the range is closed, the next owner seals the log that was left. */
    private boolean isLeftToOthers(DfsFile log) {
        return log != current && machine.isClosed();
    }

    private static boolean isFinal(@Nullable Throwable failure) {
        return failure instanceof DfsException answer
                && switch (answer.reason()) {
                    case DELETED, NOT_FOUND, INVALID -> true;
                    default -> false;
                };
    }

    private void sealed(DfsFile log, long length) {
        if (log == current) {
            Invariant.check(
                    durable <= length && length <= end,
                    "%s was sealed at %s, but %s is durable and %s was sent",
                    path(),
                    length,
                    durable,
                    end);
            sealedLength = length;
            machine.on(Event.LOG_SEALED);
        } else {
            boolean isWhole = ended != null && length == ended.offset();
            Invariant.check(
                    isWhole, "%s was drained, its end is %s, and it was sealed at %s", log.path(), ended, length);
            log.close();
            left = current;
            machine.on(Event.LEFT_LOG_SEALED);
        }
    }

    /** Sealed length of the current log. */
    long sealedLength() {
        return sealedLength;
    }

    /** Continues in the next log. Only when the current one is sealed or drained; if it is drained, it is sealed from now on. */
    void resume() {
        loop.assertInside();
        boolean isDrained = machine.state().isLeaving();
        Invariant.check(newest != current && left == current, "%s is left, and nothing is behind it", path());
        Invariant.check(!isDrained || (inFlight == 0 && durable == end), "the end of %s is not known", path());
        ended = new LogPosition(path(), isDrained ? end : sealedLength, sequence);
        if (isDrained) {
            seal(current, 0);
        } else {
            current.close();
            left = newest;
        }
        current = newest;
        end = 0;
        durable = 0;
        sequence = LogPosition.FIRST_SEQUENCE;
        inFlight = 0;
    }

    /** Begins nothing more; appends and barriers in flight still end. A log that was left is sealed by the next owner. */
    void close() {
        loop.assertInside();
        if (newest != current) {
            forgetNext();
        }
        if (left != current) {
            left.close();
        }
        if (inFlight == 0) {
            current.close();
        }
    }
}
