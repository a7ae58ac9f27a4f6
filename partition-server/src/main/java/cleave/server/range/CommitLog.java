package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.server.policy.Backoff;
import cleave.server.state.LogPosition;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a served range writes: the log appended to now and, during a roll, the next one. Confined to the range's loop.
 *
 * <p>Invariant I3: a log is appended to only when a published manifest names it and the log before it is drained and sealed, so
 * that a takeover, which seals every log of the manifest, finds whatever was acknowledged. Nothing is appended behind a record whose
 * fate is unknown: the first failure stops all, the log is sealed, and its sealed length is the truth.
 *
 * <p>Invariant I2: a barrier goes to the newest log that is published. Whoever takes the range over has sealed that one too.
 */
final class CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);

    /** What the range does when its log changes state. */
    interface Listener {
        /** A log failed: nothing can be appended until {@link #resumed}. Told again when the next log fails as well. */
        void broken(Throwable why);

        /** The next log failed before anything was appended to it. */
        void neverUsed(String path);

        /** The broken log is sealed: what ends within the length is durable, nothing else ever will be. */
        void settled(long length);

        /** The new log takes appends. */
        void resumed();

        /** The log is gone or out of reach, and with it the right to the range: only what was acknowledged is known. */
        void lost(Throwable why);
    }

    private enum State {
        /** Appends go to the current log. */
        OPEN,
        /** The next log is published; the current one is drained, then sealed. */
        SWITCHING,
        /** An append or barrier failed; the current log is sealed, then the next one awaited. */
        BROKEN,
        /** Nothing is appended any more. If what was in flight fails, the log is sealed all the same, to tell what became of it. */
        CLOSED
    }

    /** So often a closed log is tried to be sealed; then its truth is left to whoever opens the range next. */
    private static final int SEALS_WHEN_CLOSED = 8;

    private final EventLoop loop;
    private final Dfs dfs;
    private final Listener listener;
    private State state = State.OPEN;
    private LogWriter current;
    private @Nullable LogWriter next;
    private boolean sealing;
    private boolean sealed;
    private long sealedLength;
    private @Nullable LogPosition ended;

    /** The log is named by the range's published manifest. */
    CommitLog(EventLoop loop, Dfs dfs, DfsFile published, Listener listener) {
        this.loop = loop;
        this.dfs = dfs;
        this.current = new LogWriter(loop, published);
        this.listener = listener;
    }

    boolean takesAppends() {
        return state == State.OPEN;
    }

    boolean isBroken() {
        return state == State.BROKEN;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    /** Number of the next record. */
    long sequence() {
        return current.sequence();
    }

    int inFlight() {
        return current.inFlight();
    }

    /** Length of the log appended to. */
    long length() {
        return current.end();
    }

    String path() {
        return current.path();
    }

    /** The sealed end of the log before the one appended to; null if that is the first. */
    @Nullable
    LogPosition ended() {
        return ended;
    }

    /** Only while it {@link #takesAppends}. Answers the position behind the record. A failure is told to the listener first. */
    LogPosition append(ByteBuffer record, Purpose purpose, LogWriter.Ending ending) {
        Invariant.check(state == State.OPEN, "append to a log that is %s", state);
        LogWriter writer = current;
        return writer.append(record, purpose, failure -> {
            if (failure != null) {
                failed(writer, failure);
            }
            ending.ended(failure);
            if (state == State.CLOSED && writer.inFlight() == 0) {
                writer.close();
            }
            sealIfDrained();
        });
    }

    /** Not while it {@link #isBroken}. The ending tells whether the log that the barrier went to was not sealed. */
    void barrier(BarrierEnding ending) {
        LogWriter writer = next != null ? next : current;
        writer.barrier(failure -> {
            if (failure == null) {
                ending.ended(Barrier.CONFIRMED);
            } else if (writer != current && writer != next) {
                ending.ended(Barrier.LOG_WAS_ROLLED);
            } else if (writer == current && next != null && state == State.SWITCHING) {
                // Sealed by this roll itself, or so it seems: the next log will tell.
                ending.ended(Barrier.LOG_WAS_ROLLED);
            } else {
                failed(writer, failure);
                ending.ended(Barrier.REFUSED);
            }
        });
    }

    /** What a barrier proved. */
    enum Barrier {
        CONFIRMED,
        REFUSED,
        /** Nothing: it went to a log that was sealed in a roll. To be sent again. */
        LOG_WAS_ROLLED
    }

    interface BarrierEnding {
        void ended(Barrier barrier);
    }

    /** A published manifest names this new log as the last one. */
    void rolled(DfsFile published) {
        if (state == State.CLOSED) {
            published.close();
            return;
        }
        Invariant.check(next == null, "rolled to %s before %s was reached", published.path(), path());
        next = new LogWriter(loop, published);
        if (state == State.BROKEN) {
            resumeIfReady();
        } else {
            state = State.SWITCHING;
            sealIfDrained();
        }
    }

    /** True if a published log waits to be the current one. */
    boolean hasNext() {
        return next != null;
    }

    /** Seals the drained log for ever, as for a handoff: as if it had failed. Only {@link #rolled} opens it again. */
    void seal() {
        Invariant.check(inFlight() == 0, "seal of %s with %s appends in flight", path(), inFlight());
        if (state == State.OPEN) {
            state = State.BROKEN;
            sealCurrent(0);
        }
    }

    private void failed(LogWriter writer, Throwable why) {
        if (writer != current && writer != next) {
            return;
        }
        if (state == State.CLOSED) {
            if (writer == current) {
                sealCurrent(0);
            }
            return;
        }
        boolean known = state == State.BROKEN;
        if (writer == next) {
            writer.close();
            next = null;
            known = false;
            listener.neverUsed(writer.path());
        }
        state = State.BROKEN;
        if (!known) {
            LOG.warn("commit log failed log={} reason={}", writer.path(), why.getMessage());
            listener.broken(why);
            sealCurrent(0);
        }
    }

    private void sealIfDrained() {
        if (state == State.SWITCHING && current.inFlight() == 0) {
            sealCurrent(0);
        }
    }

    private void sealCurrent(int failures) {
        if (sealed || sealing) {
            return;
        }
        sealing = true;
        Hop.back(loop, dfs.seal(path()), (length, failure) -> {
            sealing = false;
            if (length != null) {
                sealed(length);
            } else if (isFinal(failure) || (state == State.CLOSED && failures >= SEALS_WHEN_CLOSED)) {
                sealed = true; // More than that is not to be learned here.
                listener.lost(failure);
            } else {
                LOG.warn("own commit log cannot be sealed yet log={} reason={}", path(), String.valueOf(failure));
                loop.schedule(Backoff.CALLS.delayNanos(failures + 1), () -> sealCurrent(failures + 1));
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
                current.durable() <= length && length <= current.end(),
                "%s was sealed at %s, but %s is durable and %s was sent",
                path(),
                length,
                current.durable(),
                current.end());
        sealed = true;
        sealedLength = length;
        if (state == State.BROKEN || state == State.CLOSED) {
            listener.settled(length);
        } else {
            Invariant.check(
                    length == current.end(), "%s was drained at %s and sealed at %s", path(), current.end(), length);
        }
        resumeIfReady();
    }

    private void resumeIfReady() {
        LogWriter ready = next;
        if (!sealed || ready == null || state == State.CLOSED) {
            return;
        }
        ended = new LogPosition(path(), sealedLength, current.sequence());
        current.close();
        current = ready;
        next = null;
        sealed = false;
        state = State.OPEN;
        listener.resumed();
    }

    /** Nothing is begun any more; what is in flight still ends. */
    void close() {
        state = State.CLOSED;
        if (next != null) {
            next.close();
        }
        if (current.inFlight() == 0) {
            current.close();
        }
    }
}
