package cleave.dfs.client;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.link.NodeLink.Session;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.EventLoop;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session with a node through which a client writes all its files: passes the node's answers to the writers, detects
 * the session's failure, and lets the writers go on in the next session. Confined to the client's loop.
 *
 * <p>The node is identified by the id on its disk: after the first session, another disk at its address is refused.
 * That disk's node would keep the connection open, so the address is looked up again.
 */
final class Connection {
    /** The writer of one file. */
    interface Writer {
        /**
         * A session is open.
         *
         * @param node how much of the file the node has, durably
         */
        void resume(Session open, LengthAnswer node);

        /** It is not known any more how much the node has: the session broke, or refused an append. */
        void stall();

        void durable(long length);

        /** How long an append took at the node; the length is that of the file behind it. */
        void timed(long length, int queueMicros, int syncMicros);

        void passed(long tag);

        void refused(ExtentStatus status);

        /** Whether the node owes it an answer. */
        boolean waitsForNode();

        void end(DfsException why);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final long SILENCE_NANOS_MAX = 60_000_000_000L;

    private final EventLoop loop;
    private final NodeLink link;
    private final IntToLongFunction pauseNanos;
    private final ClientLimits limits;
    private final DfsMetrics metrics;
    private final TreeMap<Long, Writer> writersByExtent = new TreeMap<>();
    private final TreeMap<Long, Writer> writersByTag = new TreeMap<>();
    /** Extents whose writers do not know how much the node has. */
    private final TreeSet<Long> unsure = new TreeSet<>();

    private boolean asking;
    private int asked;
    private Runnable whenShortOfSpace = () -> {};
    private @Nullable Session session;
    private @Nullable String node;
    private @Nullable String stranger;
    private String lastFailure = "still connecting";
    private long generation;
    private int failures;
    private long tags;
    private long heardNanos;
    private long silenceNanos;
    private boolean full;
    private boolean closed;

    /** @param pauseNanos before it tries again, after a number of failures in a row */
    Connection(EventLoop loop, NodeLink link, IntToLongFunction pauseNanos, ClientLimits limits, DfsMetrics metrics) {
        this.loop = loop;
        this.link = link;
        this.pauseNanos = pauseNanos;
        this.limits = limits;
        this.metrics = metrics;
        this.silenceNanos = limits.silenceNanos();
    }

    /** @param shortOfSpace called when the node refuses appends for lack of space */
    void start(Runnable shortOfSpace) {
        loop.assertInside();
        whenShortOfSpace = shortOfSpace;
        connect();
        if (limits.silenceNanos() != Long.MAX_VALUE) {
            loop.schedule(limits.silenceNanos() / 4, this::watchSilence);
        }
    }

    /** The id of the node's disk; null before the first session. */
    @Nullable
    String node() {
        return node;
    }

    /** The id of another disk that was met last at the node's address; null if it was the node's own. */
    @Nullable
    String stranger() {
        return stranger;
    }

    /** Why the last session failed, for messages. */
    String lastFailure() {
        return lastFailure;
    }

    /** Adds the writer of a new file. */
    void writes(Writer writer, long extent) {
        loop.assertInside();
        writersByExtent.put(extent, writer);
        metrics.clientOpenFiles(writersByExtent.size());
        if (session == null) {
            unsure.add(extent);
        } else {
            writer.resume(session, new LengthAnswer(ExtentStatus.OK, 0));
        }
    }

    void writesNoMore(long extent) {
        loop.assertInside();
        writersByExtent.remove(extent);
        unsure.remove(extent);
        metrics.clientOpenFiles(writersByExtent.size());
    }

    long newTag(Writer writer) {
        loop.assertInside();
        tags++;
        writersByTag.put(tags, writer);
        return tags;
    }

    void forgetTag(long tag) {
        writersByTag.remove(tag);
    }

    private void connect() {
        if (!closed) {
            generation++;
            link.connect(new Ear(generation));
        }
    }

    private void connected(String met, Session opened) {
        if (node != null && !node.equals(met)) {
            if (!met.equals(stranger)) {
                LOG.error(
                        "the node at this address has another disk, which is not used found={} expected={}", met, node);
            }
            stranger = met;
            opened.close();
            link.findAgain();
            broken("another disk is at its address");
            return;
        }
        node = met;
        stranger = null;
        session = opened;
        failures = 0;
        heardNanos = loop.nanos();
        asking = false;
        asked = 0;
        ask();
    }

    /** The writer of an extent does not know any more how much the node has. */
    void askFor(long extent) {
        loop.assertInside();
        unsure.add(extent);
        askAgain();
    }

    /** After a while, for what was sent in an earlier session may still be on its way to the disk. */
    private void askAgain() {
        if (!asking) {
            asking = true;
            asked++;
            Session open = session;
            loop.schedule(pauseNanos.applyAsLong(asked), () -> askIn(open));
        }
    }

    private void askIn(@Nullable Session open) {
        if (open == session) {
            asking = false;
            ask();
        }
    }

    private void ask() {
        Session open = session;
        String at = node;
        if (asking || unsure.isEmpty() || open == null || at == null) {
            return;
        }
        asking = true;
        List<Long> extents = List.copyOf(unsure);
        link.visible(at, extents)
                .whenComplete((answers, failure) -> loop.submit(() -> answered(open, extents, answers)));
    }

    private void answered(Session open, List<Long> extents, @Nullable List<LengthAnswer> answers) {
        if (open == session) { // The next session asks anew.
            asking = false;
            resume(open, extents, answers == null ? List.of() : answers);
        }
    }

    private void resume(Session open, List<Long> extents, List<LengthAnswer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            LengthAnswer answer = answers.get(i);
            Writer writer = writersByExtent.get(extents.get(i));
            if (writer != null && answer.status() != ExtentStatus.WRONG_NODE && unsure.remove(extents.get(i))) {
                writer.resume(open, answer);
            }
        }
        if (!unsure.isEmpty()) {
            askAgain();
        }
    }

    private void broken(String why) {
        if (session != null) {
            LOG.warn("the session with a node broke node={} cause={}", node, why);
            metrics.clientReconnect();
        }
        session = null;
        lastFailure = why;
        generation++; // Late answers of the broken session are ignored.
        failures++;
        writersByExtent.values().forEach(Writer::stall);
        unsure.addAll(writersByExtent.keySet());
        loop.schedule(pauseNanos.applyAsLong(failures), this::connect);
    }

    /** A full node need not answer appends. */
    void nodeIsFull(boolean isFull) {
        full = isFull;
    }

    /** Only silence shows that a peer has vanished; a slow peer gets increasing time. */
    private void watchSilence() {
        if (closed) {
            return;
        }
        boolean waiting = !full && writersByExtent.values().stream().anyMatch(Writer::waitsForNode);
        if (!waiting) {
            heardNanos = loop.nanos();
        } else if (session != null && loop.nanos() - heardNanos > silenceNanos) {
            silenceNanos = Math.min(SILENCE_NANOS_MAX, silenceNanos * 2);
            session.close();
            broken("the node is silent");
        }
        loop.schedule(limits.silenceNanos() / 4, this::watchSilence);
    }

    void close() {
        loop.assertInside();
        closed = true;
        if (session != null) {
            session.close();
            session = null;
        }
        for (Writer writer : List.copyOf(writersByExtent.values())) {
            writer.end(new DfsException(Reason.BROKEN, "the DFS was closed"));
        }
    }

    /** Receives the events of one session. Thread-safe. */
    private final class Ear implements NodeLink.Events {
        private final long heard;

        Ear(long heard) {
            this.heard = heard;
        }

        private void hear(Runnable event) {
            loop.submit(() -> {
                if (heard == generation && !closed) {
                    event.run();
                }
            });
        }

        @Override
        public void connected(String met, Session opened) {
            loop.submit(() -> {
                if (heard == generation && !closed) {
                    Connection.this.connected(met, opened);
                } else {
                    opened.close();
                }
            });
        }

        @Override
        public void broken(String why) {
            hear(() -> Connection.this.broken(why));
        }

        @Override
        public void durable(long extent, long length) {
            hear(() -> {
                heardNanos = loop.nanos();
                silenceNanos = limits.silenceNanos();
                asked = 0;
                Writer writer = writersByExtent.get(extent);
                if (writer != null) {
                    writer.durable(length);
                }
            });
        }

        @Override
        public void timed(long extent, long length, int queueMicros, int syncMicros) {
            hear(() -> {
                Writer writer = writersByExtent.get(extent);
                if (writer != null) {
                    writer.timed(length, queueMicros, syncMicros);
                }
            });
        }

        @Override
        public void passed(long tag) {
            hear(() -> {
                heardNanos = loop.nanos();
                silenceNanos = limits.silenceNanos();
                Writer writer = writersByTag.get(tag);
                if (writer != null) {
                    writer.passed(tag);
                }
            });
        }

        @Override
        public void refused(long extent, ExtentStatus status) {
            hear(() -> {
                heardNanos = loop.nanos();
                Writer writer = writersByExtent.get(extent);
                if (status == ExtentStatus.NO_SPACE) {
                    whenShortOfSpace.run();
                }
                if (writer != null) {
                    LOG.debug("an extent takes no more extent={} status={}", extent, status);
                    writer.refused(status);
                }
            });
        }

        @Override
        public void flush() {}
    }
}
