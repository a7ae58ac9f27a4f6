package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.Backoffs;
import cleave.server.range.RangePhases.Event;
import cleave.server.range.RangePhases.Phase;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current commit log of a range; during a roll, the next one; and after it, until it is sealed, the one that was left.
 * {@link RangePhases} decides when they may be used; their failures are reported to the range. Confined to the range's loop.
 *
 * <p>Invariant I2: a barrier goes to the newest log that is published. A new owner seals that one too before it serves.
 */
final class CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);

    /** Maximum number of attempts to seal a closed log; after that, its sealed length is left to the next owner. */
    private static final int SEALS_WHEN_CLOSED = 8;

    private final EventLoop loop;
    private final Dfs dfs;
    private final Range range;
    private DfsFile current;
    private @Nullable DfsFile next;
    /** The log before the current one, until it is sealed. */
    private @Nullable DfsFile left;
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

    private boolean sealing;
    private boolean sealed;
    private long sealedLength;
    private @Nullable LogPosition ended;
    private boolean closed;

    /** The log is named by the range's published manifest. */
    CommitLog(RangeContext with, DfsFile published, Range range) {
        this.loop = with.loop();
        this.dfs = with.dfs();
        this.barriersMax = dfs.barriersPerFile();
        this.current = published;
        this.range = range;
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

    /** Of the current log. */
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
     * is durable, after the range has learnt of a failure.
     */
    LogPosition append(ByteBuffer record, Group group, Consumer<Boolean> ending) {
        loop.assertInside();
        Invariant.check(range.phase().appends(), "append to %s in phase %s", path(), range.phase());
        DfsFile log = current;
        end += record.remaining();
        sequence++;
        inFlight++;
        LogPosition behind = new LogPosition(path(), end, sequence);
        Hop.back(
                loop,
                log.append(UnsafeByteOperations.unsafeWrap(record), group.purpose(), group.request()),
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
                    if (closed && log == current && inFlight == 0) {
                        log.close();
                    }
                });
        return behind;
    }

    /**
     * Sends a barrier. Only in phases that confirm. The ending receives whether the log was not sealed when the barrier
     * reached it.
     */
    void barrier(BarrierEnding ending) {
        loop.assertInside();
        DfsFile log = next != null ? next : current;
        if (++barriers >= barriersMax) {
            range.roll(); // At each barrier anew, until the phase permits it and it has succeeded.
        }
        Hop.back(loop, log.barrier(), (nothing, failure) -> {
            if (failure == null) {
                ending.ended(Barrier.CONFIRMED);
            } else if (log == next || (log == current && range.phase() != Phase.ROLLING)) {
                failed(log, failure);
                ending.ended(Barrier.REFUSED);
            } else {
                ending.ended(Barrier.LOG_WAS_ROLLED); // A log that was left is sealed by this range itself.
            }
        });
    }

    /** The result of a barrier. */
    enum Barrier {
        CONFIRMED,
        REFUSED,
        /** It proved nothing, because its log was left in a roll. It must be sent again. */
        LOG_WAS_ROLLED
    }

    interface BarrierEnding {
        void ended(Barrier barrier);
    }

    private void failed(DfsFile log, @Nullable Throwable failure) {
        if (log != current && log != next) {
            return;
        }
        String why = String.valueOf(failure == null ? null : failure.getMessage());
        if (range.phase().confirms() || log == next) {
            LOG.warn("commit log failed log={} reason={}", log.path(), why);
        }
        range.on(log == next ? Event.NEXT_LOG_FAILED : Event.LOG_FAILED, why);
    }

    /** Takes this log as the next one: a published manifest names it as the last. */
    void published(DfsFile log) {
        loop.assertInside();
        Invariant.check(next == null, "rolled to %s before %s was reached", log.path(), path());
        next = log;
        barriers = 0;
    }

    /** Drops the next log, to which nothing was appended; answers its path. */
    String forgetNext() {
        loop.assertInside();
        DfsFile unused = next;
        if (unused == null) {
            throw new AssertionError("there is no log behind " + path());
        }
        unused.close();
        next = null;
        return unused.path();
    }

    /** Seals the current log, unless that is done or under way. It is repeated until there is an answer. */
    void seal() {
        loop.assertInside();
        if (!sealed && !sealing) {
            seal(0);
        }
    }

    /** True until the log before the current one is sealed. */
    boolean isLeaving() {
        return left != null;
    }

    private void seal(int failures) {
        sealing = true;
        Hop.back(loop, dfs.seal(path()), (length, failure) -> {
            if (length != null) {
                sealed(length);
            } else if (isFinal(failure) || (closed && failures >= SEALS_WHEN_CLOSED)) {
                sealed = true; // Nothing more can be learnt here.
                range.on(Event.LOG_LOST, "the commit log is lost: " + (failure == null ? "" : failure.getMessage()));
            } else {
                LOG.warn("own commit log cannot be sealed yet log={} reason={}", path(), String.valueOf(failure));
                loop.schedule(Backoffs.CALLS.nanos(failures + 1), () -> seal(failures + 1));
            }
        });
    }

    private static boolean isFinal(@Nullable Throwable failure) {
        return failure instanceof DfsException answer
                && switch (answer.reason()) {
                    case DELETED, NOT_FOUND, INVALID -> true;
                    default -> false;
                };
    }

    private void sealed(long length) {
        Invariant.check(
                durable <= length && length <= end,
                "%s was sealed at %s, but %s is durable and %s was sent",
                path(),
                length,
                durable,
                end);
        sealing = false;
        sealed = true;
        sealedLength = length;
        range.on(Event.LOG_SEALED, "the commit log is sealed");
    }

    /** Sealed length of the current log. */
    long sealedLength() {
        return sealedLength;
    }

    /** Continues in the next log. Only when the current one is sealed or drained; if it is drained, it is sealed from now on. */
    void resume() {
        loop.assertInside();
        DfsFile ready = next;
        boolean drained = !sealing && inFlight == 0 && durable == end;
        if (ready == null || left != null || !(sealed || drained)) {
            throw new AssertionError(path() + " is left, and nothing is behind it or its end is not known");
        }
        ended = new LogPosition(path(), sealed ? sealedLength : end, sequence);
        if (sealed) {
            current.close();
        } else {
            left = current;
            sealLeft(current, end, 0);
        }
        current = ready;
        next = null;
        sealed = false;
        end = 0;
        durable = 0;
        sequence = LogPosition.FIRST_SEQUENCE;
        inFlight = 0;
    }

    /** Repeated until there is an answer: a log that is neither the last nor sealed cannot be read to its end by others. */
    private void sealLeft(DfsFile log, long drainedAt, int failures) {
        Hop.back(loop, dfs.seal(log.path()), (length, failure) -> {
            if (left == null) {
                return;
            }
            if (length != null) {
                Invariant.check(
                        length == drainedAt, "%s was drained at %s and sealed at %s", log.path(), drainedAt, length);
                log.close();
                left = null;
                range.leftLogSealed();
            } else if (isFinal(failure)) {
                range.close(Range.End.CLOSED, "the commit log that was left is lost: " + failure.getMessage());
            } else {
                LOG.warn(
                        "a commit log that was left cannot be sealed yet log={} reason={}",
                        log.path(),
                        String.valueOf(failure));
                loop.schedule(Backoffs.CALLS.nanos(failures + 1), () -> {
                    if (left != null) {
                        sealLeft(log, drainedAt, failures + 1);
                    }
                });
            }
        });
    }

    /** Begins nothing more; appends and barriers in flight still end. A log that was left is sealed by the next owner. */
    void close() {
        loop.assertInside();
        closed = true;
        if (next != null) {
            forgetNext();
        }
        if (left != null) {
            left.close();
            left = null;
        }
        if (inFlight == 0) {
            current.close();
        }
    }
}
