package cleave.dfs.client;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.Session;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.state.ExtentPlace;
import cleave.model.RequestId;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The writer of one file: sends appends to the last extent and keeps them until they are acknowledged. When the node is
 * lost, it resends those beyond the sealed length to the next extent. Thread-safe through its loop.
 *
 * <p>Invariant I3: an append completes when the node reports it durable, or when the sealed length of an extent covers
 * it. After a broken session, or a refusal, nothing is assumed about the extent: it is sealed first (see {@link
 * Repairs}), and a barrier that was under way is sent again to the new extent.
 */
final class FileWriter implements DfsFile {
    private enum State {
        STREAMING,
        /** The extent can no longer be written, and there is nothing to write. */
        STALLED,
        /** A new extent is being added. */
        REPAIRING,
        ENDED
    }

    private record Append(
            long start,
            ByteString bytes,
            Purpose purpose,
            RequestId request,
            CompletableFuture<Long> done,
            long askedNanos) {
        long end() {
            return start + bytes.size();
        }
    }

    private final String path;
    private final EventLoop loop;
    private final Connection connection;
    private final Repairs repairs;
    private final int pieceBytes;
    private final DfsMetrics metrics;
    private final ArrayDeque<Append> pending = new ArrayDeque<>();
    private final TreeMap<Long, CompletableFuture<Void>> barriers = new TreeMap<>();
    private ExtentPlace extent;
    private State state = State.STALLED;
    private @Nullable DfsException ended;
    private boolean closed;

    /** Positions in the file: the end of what was requested, sent and acknowledged. */
    private long end;

    private long sent;
    private long acknowledged;

    FileWriter(
            String path,
            EventLoop loop,
            Connection connection,
            Repairs repairs,
            int pieceBytes,
            DfsMetrics metrics,
            ExtentPlace first) {
        this.path = path;
        this.loop = loop;
        this.connection = connection;
        this.repairs = repairs;
        this.pieceBytes = pieceBytes;
        this.metrics = metrics;
        this.extent = first;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
        return append(bytes, purpose, RequestId.NONE);
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose, RequestId request) {
        if (bytes.isEmpty()) {
            return appendNothing();
        }
        CompletableFuture<Long> done = new CompletableFuture<>();
        loop.submit(() -> enqueue(bytes, purpose, request, done));
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

    private void enqueue(ByteString bytes, Purpose purpose, RequestId request, CompletableFuture<Long> done) {
        DfsException refused = refusal();
        if (refused != null) {
            done.completeExceptionally(refused);
            return;
        }
        Append append = new Append(end, bytes, purpose, request, done, loop.nanos());
        end = append.end();
        pending.add(append);
        Session session = connection.session();
        if (state == State.STREAMING && session != null) {
            send(session, append);
        } else {
            repairIfStalled();
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
        Session session = connection.session();
        if (state == State.STREAMING && session != null) {
            sendBarrier(session, tag);
        } else {
            repairIfStalled();
        }
    }

    private @Nullable DfsException refusal() {
        if (ended != null) {
            return ended;
        }
        return closed ? new DfsException(Reason.BROKEN, "the handle of " + path + " was closed") : null;
    }

    private void repairIfStalled() {
        if (state == State.STALLED) {
            state = State.REPAIRING;
            repairs.add(this);
        }
    }

    private void send(Session session, Append append) {
        while (sent < append.end()) {
            int from = (int) (sent - append.start());
            int to = Math.min(append.bytes().size(), from + pieceBytes);
            session.append(
                    new NodeLink.Append(
                            extent.id(),
                            sent - extent.start(),
                            append.purpose(),
                            append.bytes().substring(from, to),
                            append.request()),
                    acknowledgedInExtent());
            sent += to - from;
        }
    }

    private void sendBarrier(Session session, long tag) {
        session.barrier(extent.id(), sent - extent.start(), acknowledgedInExtent(), tag);
    }

    private long acknowledgedInExtent() {
        return Math.max(0, acknowledged - extent.start());
    }

    /** Starts writing to an extent: of a new file, or one that was just added. */
    void begin(ExtentPlace place) {
        connection.writesNoMore(extent.id());
        extent = place;
        connection.writes(this, place.id());
        sent = place.start();
        acknowledge(place.start());
        Session session = connection.session();
        if (session == null) {
            state = State.STALLED;
            if (hasWork()) {
                repairIfStalled();
            }
            return;
        }
        state = State.STREAMING;
        for (Append append : pending) {
            send(session, append);
        }
        for (long tag : barriers.keySet()) {
            sendBarrier(session, tag);
        }
    }

    void durable(long id, long length) {
        if (state == State.STREAMING && extent.id() == id) {
            acknowledge(extent.start() + length);
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

    void passed(long tag) {
        connection.forgetTag(tag);
        CompletableFuture<Void> done = barriers.remove(tag);
        if (done != null) {
            metrics.clientBarrier();
            done.complete(null);
        }
        forgetIfDone();
    }

    /** The extent can no longer be written, and the outcome of what was sent is unknown. */
    void stall() {
        if (state == State.STREAMING) {
            state = State.STALLED;
            if (hasWork()) {
                repairIfStalled();
            }
        }
    }

    /** The node has too little space for an append; it executes none of the later ones either. */
    void hasNoSpace() {
        end(new DfsException(Reason.NO_SPACE, "the DFS is short of space, " + path + " is not written any more"));
    }

    boolean waitsForNode() {
        return state == State.STREAMING && hasWork();
    }

    private boolean hasWork() {
        return !pending.isEmpty() || !barriers.isEmpty();
    }

    private void forgetIfDone() {
        if (closed && !hasWork()) {
            connection.writesNoMore(extent.id());
        }
    }

    void endByClose() {
        end(new DfsException(Reason.BROKEN, "the DFS was closed"));
    }

    /** Fails everything that waits, in order, and all later requests. */
    void end(DfsException why) {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        ended = why;
        connection.writesNoMore(extent.id());
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

    boolean isEnded() {
        return state == State.ENDED;
    }

    ExtentPlace extent() {
        return extent;
    }

    /** The acknowledged length of the current extent; its sealed length cannot be less. */
    long acknowledgedOfExtent() {
        return acknowledgedInExtent();
    }
}
