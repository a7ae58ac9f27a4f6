package cleave.master.sweep;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterState;
import cleave.model.ClusterIdentity;
import cleave.model.KnownMasters;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.MasterPeer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a new leader's map against the DFS before the leader changes anything. Confined to the master loop, except for
 * {@link #replication}, which is thread-safe.
 *
 * <p>Masters can forget: if folders are restored from older copies, a majority of them may lead with an old map. Within a
 * term nothing is forgotten, so what is shown at its beginning holds to its end. The leader reads the identity of the DFS, lists the
 * files of ranges and what leaders have noted of how far the map had come ({@link HighWater}), <em>then</em> proves that it leads, and
 * looks whether its map has come as far, and whether the files can have been made under it ({@link Lineage}). What the masters had
 * forgotten of the last instant before they ended, when nothing of it is in the DFS yet, is not seen.
 *
 * <p>Invariant: in a term in which that was not shown, no command but a no-op is proposed, no order given, no member changed and
 * none told that it was removed. So nothing moves further away from what was forgotten, nothing is deleted, what shows it stays,
 * and so do the newest folders and their members.
 */
public final class Vetting {
    private static final Logger LOG = LoggerFactory.getLogger(Vetting.class);
    private static final long AGAIN_NANOS = 1_000_000_000L;

    private final EventLoop loop;
    private final Replication replication;
    private final SweepFiles files;
    private final Events events;
    private final MasterMetrics metrics;
    private volatile long passedTerm;
    private volatile String waiting = "";
    private long term;
    private long attempt;
    private String told = "";
    private HighWater noted = HighWater.NONE;
    private boolean noting;

    public Vetting(EventLoop loop, Replication replication, SweepFiles files, Events events, MasterMetrics metrics) {
        this.loop = loop;
        this.replication = replication;
        this.files = files;
        this.events = events;
        this.metrics = metrics;
    }

    /** What the DFS says: whose it is, and which files of ranges there are. Immutable. */
    record Shown(Optional<ClusterIdentity> identity, HighWater reached, List<String> paths) {}

    /** To be asked before a proof of leadership. */
    static CompletableFuture<Shown> ask(SweepFiles files) {
        return files.identity()
                .thenCombine(files.list(), (identity, paths) -> new Shown(identity, HighWater.NONE, paths));
    }

    private CompletableFuture<Shown> askAll() {
        return ask(files)
                .thenCombine(
                        files.highWater(), (shown, reached) -> new Shown(shown.identity(), reached, shown.paths()));
    }

    /** Why this cluster's masters must not touch what the DFS keeps; null if nothing speaks against it. */
    static @Nullable String problem(String cluster, MasterState state, Shown shown) {
        if (shown.identity().isEmpty()) {
            return "the DFS does not say that it belongs to cluster " + cluster
                    + ", whose master this is: set dfs right and restart it";
        }
        ClusterIdentity identity = shown.identity().get();
        if (!identity.cluster().text().equals(cluster)) {
            return "the DFS keeps the files of cluster " + identity + ", but this is a master of cluster " + cluster
                    + ": set dfs or master.dir right and restart it";
        }
        if (!state.cluster().isEmpty() && !state.cluster().equals(cluster)) {
            return "the log in this master's folder is of cluster " + state.cluster() + ", but the folder of cluster "
                    + cluster + ": restore the whole folder";
        }
        String noted = shown.reached().problem(state);
        String older = noted == null ? Lineage.problem(state, shown.paths()) : noted;
        return older == null
                ? null
                : older
                        + ". Their folders are older copies: stop all masters, and start them with the newest folders that"
                        + " there are (docs/operations.md)";
    }

    /** A new term begins, in which nothing is checked yet. */
    public void begin(long itsTerm) {
        loop.assertInside();
        term = itsTerm;
        told = "";
        waiting = "it has not checked its map against the DFS yet";
        look();
    }

    /** This master no longer leads. */
    public void clear() {
        loop.assertInside();
        term = 0;
        attempt++;
        passedTerm = 0;
        waiting = "";
        metrics.halted.set(0);
    }

    public boolean hasPassed() {
        loop.assertInside();
        return term != 0 && passedTerm == term;
    }

    /** Why this leader changes nothing; empty if it has passed or does not lead. */
    public String waiting() {
        return waiting;
    }

    private void look() {
        long mine = ++attempt;
        askAll().thenCompose(shown -> replication
                        .propose(new NoOp())
                        .thenAccept(proof -> loop.submit(() -> {
                            if (mine == attempt) {
                                judge(proof, shown);
                            }
                        })))
                .whenComplete((nothing, failure) -> loop.submit(() -> {
                    if (mine == attempt && failure != null) {
                        waiting = "it cannot check its map against the DFS: " + failure.getMessage();
                        lookAgain();
                    }
                }));
    }

    private void judge(MasterAnswer proof, Shown shown) {
        String problem = proof.isOk() ? problem(replication.cluster(), replication.state(), shown) : null;
        if (problem != null) {
            fail(problem);
        } else if (proof.isOk()) {
            attempt++;
            passedTerm = term;
            waiting = "";
            noted = HighWater.NONE;
            metrics.halted.set(0);
        } else {
            lookAgain();
        }
    }

    /** Notes in the DFS how far the map has come, whenever it has come further. */
    public void tick(MasterState state) {
        loop.assertInside();
        HighWater reached = HighWater.of(state);
        if (!hasPassed() || noting || reached.equals(noted)) {
            return;
        }
        noting = true;
        files.note(reached)
                .whenComplete((nothing, failure) -> loop.submit(() -> {
                    noting = false;
                    if (failure == null) {
                        noted = reached;
                    }
                }));
    }

    /** From now on this leader changes nothing in its term, unless a later check passes. */
    void fail(String problem) {
        loop.assertInside();
        passedTerm = 0;
        waiting = problem;
        metrics.halted.set(1);
        if (!problem.equals(told)) {
            told = problem;
            LOG.error("this leader changes nothing and deletes nothing reason={}", problem);
            events.add(EventKind.HALTED, Event.newBuilder().setReason("nothing is changed or deleted: " + problem));
        }
        lookAgain();
    }

    private void lookAgain() {
        long mine = ++attempt;
        loop.schedule(AGAIN_NANOS, () -> {
            if (mine == attempt) {
                look();
            }
        });
    }

    /** The answer to a request for a change now; null if this leader has passed. Thread-safe. */
    @Nullable
    public MasterAnswer refusal() {
        long current = replication.leaderTerm();
        if (current == 0) { // A leader that is not ready yet would take a command, so it is refused here.
            return MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress());
        }
        return current == passedTerm
                ? null
                : MasterAnswer.failed(ErrorCode.UNAVAILABLE, "the leader changes nothing: " + waiting);
    }

    /** The log, into which only a leader that has passed puts what changes something. */
    public Replication replication() {
        return new Vetted();
    }

    private final class Vetted implements Replication {
        @Override
        public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
            MasterAnswer refused = command instanceof NoOp ? null : refusal();
            return refused == null ? replication.propose(command) : CompletableFuture.completedFuture(refused);
        }

        @Override
        public String cluster() {
            return replication.cluster();
        }

        @Override
        public MasterState state() {
            return replication.state();
        }

        @Override
        public long appliedIndex() {
            return replication.appliedIndex();
        }

        @Override
        public long leaderTerm() {
            return replication.leaderTerm();
        }

        @Override
        public String leaderAddress() {
            return replication.leaderAddress();
        }

        @Override
        public KnownMasters masters() {
            return replication.masters();
        }

        @Override
        public List<MasterPeer> peers() {
            return replication.peers();
        }

        @Override
        public String self() {
            return replication.self();
        }

        @Override
        public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
            MasterAnswer refused = refusal();
            return refused == null
                    ? replication.reconfigure(before, after)
                    : CompletableFuture.completedFuture(refused);
        }

        @Override
        public CompletableFuture<MasterAnswer> transferLeadership(String member) {
            MasterAnswer refused = refusal();
            return refused == null
                    ? replication.transferLeadership(member)
                    : CompletableFuture.completedFuture(refused);
        }
    }
}
