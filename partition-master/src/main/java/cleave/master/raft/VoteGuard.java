package cleave.master.raft;

import io.prometheus.client.Counter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a peer that lost its disk from voting before it has caught up. Thread-safe.
 *
 * <p>Raft counts on what a peer has acknowledged. One that forgot could vote for a candidate that lacks committed entries, of
 * which its own lost copy made the majority. So a peer that starts on an empty disk refuses its vote to everyone who has a log,
 * until it has applied all that a leader, elected without it, knew as committed when it was first heard, all that this leader
 * may still count as acknowledged by the lost copy, and something of that leader's term. Candidates without a log are let pass:
 * that is the first start of the whole group.
 *
 * <p>Ratis has no such state, so votes are refused at the door of its server. A file remembers the guard over restarts.
 */
final class VoteGuard implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(VoteGuard.class);
    private static final String MARK = "has-not-caught-up";

    private final Path mark;
    private final Counter refused;
    private volatile boolean guarding;
    private volatile Goal goal = new Goal(-1, Long.MAX_VALUE);
    private volatile TermIndex applied = TermIndex.valueOf(-1, -1);

    private VoteGuard(Path mark, boolean guarding, Counter refused) {
        this.mark = mark;
        this.guarding = guarding;
        this.refused = refused;
    }

    /** What is to be applied before a vote is given: up to an index, and something of a term. */
    private record Goal(long term, long index) {}

    /** To be called before Raft touches the folder. One who is alone has nobody to mislead. */
    static VoteGuard of(Path dir, boolean isAlone, Counter refused) throws IOException {
        Path mark = dir.resolve(MARK);
        Files.createDirectories(dir);
        boolean needed = !isAlone && (Files.exists(mark) || isEmpty(dir));
        if (needed) {
            DurableFile.write(mark, new byte[0]);
            LOG.info("starts on an empty disk and gives no vote before it has caught up dir={}", dir);
        }
        return new VoteGuard(mark, needed, refused);
    }

    private static boolean isEmpty(Path dir) throws IOException {
        try (Stream<Path> entries = Files.list(dir)) {
            return entries.findAny().isEmpty();
        }
    }

    boolean isGuarding() {
        return guarding;
    }

    /** This peer leads: it was elected by the others, with the log that it has. */
    void leads() {
        lift();
    }

    /** The last entry that this peer has applied. */
    void applied(TermIndex last) {
        applied = last;
    }

    private void heard(AppendEntriesRequestProto request) {
        if (request.getLeaderTerm() > goal.term()) {
            // A leader first tries to go on after the last entry that it takes as acknowledged, or after a later one.
            long continued = request.hasPreviousLog() ? request.getPreviousLog().getIndex() : -1;
            goal = new Goal(request.getLeaderTerm(), Math.max(request.getLeaderCommit(), continued));
        }
        TermIndex last = applied;
        if (last.getTerm() == goal.term() && last.getIndex() >= goal.index()) {
            lift();
        }
    }

    private void lift() {
        if (guarding) {
            try {
                Files.deleteIfExists(mark);
            } catch (IOException failure) {
                throw new UncheckedIOException("cannot forget that the disk was empty", failure);
            }
            guarding = false;
            LOG.info("has caught up and votes from now on term={} index={}", applied.getTerm(), applied.getIndex());
        }
    }

    private boolean mayVote(RequestVoteRequestProto request) {
        TermIndexProto last = request.getCandidateLastEntry();
        boolean candidateHasLog = request.hasCandidateLastEntry() && last.getIndex() >= 0 && last.getTerm() > 0;
        return !guarding || !candidateHasLog;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        ServerCall.Listener<Q> listener = next.startCall(call, headers);
        return guarding ? new Watching<>(listener, call) : listener;
    }

    /** Sees each message before Raft does. */
    private final class Watching<Q> extends SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private boolean isRefused;

        Watching(ServerCall.Listener<Q> listener, ServerCall<Q, ?> call) {
            super(listener);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            if (guarding && message instanceof AppendEntriesRequestProto append) {
                heard(append);
            }
            if (message instanceof RequestVoteRequestProto vote && !mayVote(vote)) {
                isRefused = true;
                refused.inc();
                call.close(
                        Status.UNAVAILABLE.withDescription("has not caught up since its disk was empty"),
                        new Metadata());
                return;
            }
            super.onMessage(message);
        }

        @Override
        public void onHalfClose() {
            if (!isRefused) {
                super.onHalfClose();
            }
        }
    }
}
