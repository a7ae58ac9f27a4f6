package cleave.dfs.client;

import cleave.dfs.AppendTimes;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.Failures;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.link.NodeLink.Session;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.RequestId;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of one file: sends appends and keeps them until they are acknowledged. Thread-safe through its loop.
 *
 * <p>Invariant I3: an append completes when the node reports it durable. After a broken session, or a refusal, nothing
 * is assumed: the node says how much of the file it has, and the writer sends again what follows that. All that it ever
 * sends for one place in the file are the same bytes, and the node takes bytes only at the file's end, so bytes that
 * arrive late, or twice, change nothing. A barrier that was under way is sent again.
 */
final class FileWriter implements DfsFile, Connection.Writer {
    private static final Logger LOG = LoggerFactory.getLogger(FileWriter.class);

    private record Append(
            long start,
            ByteString bytes,
            Purpose purpose,
            RequestId request,
            @Nullable AppendTimes times,
            CompletableFuture<Long> done,
            long askedNanos) {
        long end() {
            return start + bytes.size();
        }
    }

    private final String path;
    private final long extent;
    private final EventLoop loop;
    private final Connection connection;
    private final Function<String, CompletableFuture<Long>> sealer;
    private final int pieceBytes;
    private final DfsMetrics metrics;
    private final ArrayDeque<Append> pending = new ArrayDeque<>();
    private final TreeMap<Long, CompletableFuture<Void>> barriers = new TreeMap<>();
    /** Null while it is not known how much the node has. */
    private @Nullable Session session;

    private @Nullable DfsException ended;
    private boolean fenced;
    private boolean closed;

    /** Positions in the file: the end of what was requested, sent and acknowledged. */
    private long end;

    private long sent;
    private long acknowledged;

    /** @param sealer completes the seal of a file that someone fenced */
    FileWriter(
            String path,
            long extent,
            EventLoop loop,
            Connection connection,
            Function<String, CompletableFuture<Long>> sealer,
            int pieceBytes,
            DfsMetrics metrics) {
        this.path = path;
        this.extent = extent;
        this.loop = loop;
        this.connection = connection;
        this.sealer = sealer;
        this.pieceBytes = pieceBytes;
        this.metrics = metrics;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
        return append(bytes, purpose, RequestId.NONE, null);
    }

    @Override
    public CompletableFuture<Long> append(
            ByteString bytes, Purpose purpose, RequestId request, @Nullable AppendTimes times) {
        if (bytes.isEmpty()) {
            return appendNothing();
        }
        CompletableFuture<Long> done = new CompletableFuture<>();
        loop.submit(() -> enqueue(bytes, purpose, request, times, done));
        return done;
    }

    /** A barrier, which completes after the appends before it. */
    private CompletableFuture<Long> appendNothing() {
        CompletableFuture<Long> before = new CompletableFuture<>();
        loop.submit(() -> {
            Append last = pending.peekLast();
            long at = end;
            if (last == null) {
                before.complete(at);
            } else {
                last.done().whenComplete((length, failure) -> complete(before, at, failure));
            }
        });
        return barrier().thenCombine(before, (passed, length) -> length);
    }

    private static void complete(CompletableFuture<Long> future, long value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }

    @Override
    public CompletableFuture<Void> barrier() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.submit(() -> enqueueBarrier(done));
        return done;
    }

    @Override
    public void close() {
        loop.submit(() -> {
            closed = true;
            forgetIfDone();
        });
    }

    private void enqueue(
            ByteString bytes,
            Purpose purpose,
            RequestId request,
            @Nullable AppendTimes times,
            CompletableFuture<Long> done) {
        DfsException refused = refusal();
        if (refused != null) {
            done.completeExceptionally(refused);
            return;
        }
        Append append = new Append(end, bytes, purpose, request, times, done, loop.nanos());
        end = append.end();
        pending.add(append);
        Session open = session;
        if (open != null) {
            send(open, append);
        }
    }

    private void enqueueBarrier(CompletableFuture<Void> done) {
        DfsException refused = refusal();
        if (refused != null) {
            done.completeExceptionally(refused);
            return;
        }
        long tag = connection.newTag(this);
        barriers.put(tag, done);
        Session open = session;
        if (open != null) {
            open.barrier(extent, sent, tag);
        }
    }

    private @Nullable DfsException refusal() {
        if (ended != null) {
            return ended;
        }
        return closed ? new DfsException(Reason.BROKEN, "the handle of " + path + " was closed") : null;
    }

    private void send(Session open, Append append) {
        while (sent < append.end()) {
            int from = (int) (sent - append.start());
            int to = Math.min(append.bytes().size(), from + pieceBytes);
            ByteString piece = append.bytes().substring(from, to);
            boolean timed = append.times() != null && sent + piece.size() == append.end();
            open.append(new NodeLink.Append(extent, sent, append.purpose(), piece, append.request(), timed));
            sent += to - from;
        }
    }

    @Override
    public void resume(Session open, LengthAnswer node) {
        if (ended != null || fenced) {
            return;
        }
        if (node.status() == ExtentStatus.DELETED) {
            end(new DfsException(Reason.DELETED, path + " was deleted"));
            return;
        }
        if (node.status() != ExtentStatus.OK || node.length() < acknowledged || node.length() > end) {
            damaged(node);
            return;
        }
        session = open;
        sent = node.length();
        if (hasWork()) {
            metrics.clientRepair();
        }
        acknowledge(sent);
        for (Append append : pending) {
            send(open, append);
        }
        for (long tag : barriers.keySet()) {
            open.barrier(extent, sent, tag);
        }
    }

    private void damaged(LengthAnswer node) {
        LOG.error(
                "a file does not have what was acknowledged path={} extent={} status={} length={} acknowledged={} end={}",
                path,
                extent,
                node.status(),
                node.length(),
                acknowledged,
                end);
        end(new DfsException(Reason.BROKEN, path + " is damaged"));
    }

    @Override
    public void durable(long length) {
        if (session != null
                || fenced) { // Else the node's answer, which may be older, must not seem to be less than what it
            // acknowledged.
            acknowledge(length);
        }
    }

    /** The append is not acknowledged yet, and among the first. */
    @Override
    public void timed(long length, int queueMicros, int syncMicros) {
        for (Append each : pending) {
            if (each.end() >= length) {
                AppendTimes times = each.times();
                if (each.end() == length && times != null) {
                    times.stored(queueMicros, syncMicros);
                }
                return;
            }
        }
    }

    private void acknowledge(long length) {
        acknowledged = Math.max(acknowledged, length);
        long now = loop.nanos();
        for (Append next = pending.peek(); next != null && next.end() <= acknowledged; next = pending.peek()) {
            pending.remove();
            metrics.clientAppend(next.bytes().size(), now - next.askedNanos());
            next.done().complete(next.end());
        }
        forgetIfDone();
    }

    @Override
    public void passed(long tag) {
        connection.forgetTag(tag);
        CompletableFuture<Void> done = barriers.remove(tag);
        if (done != null) {
            metrics.clientBarrier();
            done.complete(null);
        }
        forgetIfDone();
    }

    @Override
    public void refused(ExtentStatus status) {
        switch (status) {
            case FENCED -> sealAndEnd();
            case NO_SPACE ->
                end(new DfsException(
                        Reason.NO_SPACE, "the DFS is short of space, " + path + " is not written any more"));
            case OK, DELETED, WRONG_OFFSET, DAMAGED, WRONG_NODE -> {
                stall();
                connection.askFor(extent);
            }
        }
    }

    /** The seal is completed before appends fail, so that their outcome is known. */
    private void sealAndEnd() {
        session = null;
        if (fenced || ended != null) {
            return;
        }
        fenced = true;
        completeSeal();
    }

    private void completeSeal() {
        sealer.apply(path)
                .whenComplete((length, failure) -> loop.submit(() -> {
                    if (failure == null) {
                        end(new DfsException(Reason.SEALED, path + " was sealed at " + length));
                    } else if (Failures.reason(failure) == Reason.UNAVAILABLE && ended == null) {
                        completeSeal();
                    } else {
                        Reason reason = Failures.reason(failure) == Reason.DELETED ? Reason.DELETED : Reason.BROKEN;
                        end(new DfsException(reason, path + " cannot be written", failure));
                    }
                }));
    }

    @Override
    public void stall() {
        session = null;
    }

    @Override
    public boolean waitsForNode() {
        return session != null && hasWork();
    }

    private boolean hasWork() {
        return !pending.isEmpty() || !barriers.isEmpty();
    }

    private void forgetIfDone() {
        if (closed && !hasWork()) {
            connection.writesNoMore(extent);
        }
    }

    /** Fails everything that waits, in order, and all later requests. */
    @Override
    public void end(DfsException why) {
        if (ended != null) {
            return;
        }
        ended = why;
        session = null;
        connection.writesNoMore(extent);
        var failed = new ArrayList<>(pending);
        pending.clear();
        failed.forEach(append -> append.done().completeExceptionally(why));
        var refused = new TreeMap<>(barriers);
        barriers.clear();
        for (Map.Entry<Long, CompletableFuture<Void>> barrier : refused.entrySet()) {
            connection.forgetTag(barrier.getKey());
            barrier.getValue().completeExceptionally(why);
        }
    }
}
