package cleave.master.sweep;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.ClusterDfs;
import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.master.state.MasterState;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
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
 * <p>A master may also be set to another DFS, such as one that was copied: the state names the cluster's, and what is another is not
 * touched, unless it is a copy that takes its place ({@link ClusterDfs}). A leader whose settings lead it to wrong files hands
 * leadership over, after a while.
 *
 * <p>Invariant: in a term in which that was not shown, no command but a no-op is proposed, no order given, no member changed and
 * none told that it was removed. So nothing moves further away from what was forgotten, nothing is deleted, what shows it stays,
 * and so do the newest folders and their members.
 */
public final class Vetting {
    private static final Logger LOG = LoggerFactory.getLogger(Vetting.class);
    private static final long AGAIN_NANOS = 1_000_000_000L;
    /** How often a leader that has passed tries to name the DFS: each look lists all files. */
    private static final long NAMING_NANOS = 5_000_000_000L;
    /** Time for an operator to see it, and for a cluster of masters that are all wrong not to elect all the time. */
    private static final int FAILURES_TO_HAND_OVER = 5;

    private final EventLoop loop;
    private final Replication replication;
    private final SweepFiles files;
    private final Events events;
    private final MasterMetrics metrics;
    private volatile long passedTerm;
    private volatile String waiting = "";
    /** The id of the DFS on which this leader has passed; empty while it has not, or the DFS has none. */
    private volatile String dfs = "";

    private long term;
    private long attempt;
    private String told = "";
    private HighWater noted = HighWater.NONE;
    private int failures;
    private boolean noting;
    /** The attempt whose look is under way; 0 if none is. */
    private long looking;

    private long namedNanos;
    /** Whether the last look of a leader that has passed found a problem. */
    private boolean doubted;
    /** Since this process began: two masters that are wrong must not hand over to each other only. */
    private int handOvers;

    public Vetting(EventLoop loop, Replication replication, SweepFiles files, Events events, MasterMetrics metrics) {
        this.loop = loop;
        this.replication = replication;
        this.files = files;
        this.events = events;
        this.metrics = metrics;
    }

    /**
     * What the DFS says: whose it is, which one it is, and which files of ranges there are. Immutable.
     *
     * @param dfs empty if it has no identity, and no space for one, or is not this cluster's
     */
    record Shown(
            Optional<ClusterIdentity> identity, Optional<DfsIdentity> dfs, HighWater reached, List<String> paths) {}

    /**
     * What speaks against a leader. Immutable.
     *
     * @param isOfSettings whether another member may well be right, since this one's settings lead it to wrong files
     */
    record Problem(String text, boolean isOfSettings) {}

    /** To be asked before a proof of leadership. */
    static CompletableFuture<Shown> ask(SweepFiles files, String cluster) {
        return files.identity()
                .thenCombine(
                        files.list(), (identity, paths) -> new Shown(identity, Optional.empty(), HighWater.NONE, paths))
                .thenCompose(shown -> isOf(shown.identity(), cluster)
                        ? files.dfs().thenApply(dfs -> new Shown(shown.identity(), dfs, shown.reached(), shown.paths()))
                        : CompletableFuture.completedFuture(shown));
    }

    private static boolean isOf(Optional<ClusterIdentity> identity, String cluster) {
        return identity.isPresent() && identity.get().cluster().text().equals(cluster);
    }

    private CompletableFuture<Shown> askAll() {
        return ask(files, replication.cluster())
                .thenCombine(
                        files.highWater(),
                        (shown, reached) -> new Shown(shown.identity(), shown.dfs(), reached, shown.paths()));
    }

    /** Why this cluster's masters must not touch what the DFS keeps; null if nothing speaks against it. */
    static @Nullable Problem problem(String cluster, MasterState state, Shown shown) {
        String wrongFiles = wrongFiles(cluster, state, shown);
        if (wrongFiles != null) {
            return new Problem(wrongFiles, true);
        }
        if (!state.cluster().isEmpty() && !state.cluster().equals(cluster)) {
            return new Problem(
                    "the log in this master's folder is of cluster " + state.cluster() + ", but the folder of cluster "
                            + cluster + ": restore the whole folder",
                    false);
        }
        String noted = shown.reached().problem(state);
        String older = noted == null ? Lineage.problem(state, shown.paths()) : noted;
        if (older != null) {
            return new Problem(
                    older
                            + ". Their folders are older copies: stop all masters, and start them with the newest folders that"
                            + " there are (docs/operations.md)",
                    false);
        }
        String outdated = ClusterDfs.outdated(state, shown.dfs(), shown.paths());
        return outdated == null ? null : new Problem(outdated, true);
    }

    private static @Nullable String wrongFiles(String cluster, MasterState state, Shown shown) {
        if (shown.identity().isEmpty()) {
            return "the DFS does not say that it belongs to cluster " + cluster
                    + ", whose master this is: set dfs right and restart it";
        }
        return isOf(shown.identity(), cluster)
                ? ClusterDfs.problem(state, shown.dfs())
                : "the DFS keeps the files of cluster " + shown.identity().get() + ", but this is a master of cluster "
                        + cluster + ": set dfs or master.dir right and restart it";
    }

    /** A new term begins, in which nothing is checked yet. */
    public void begin(long itsTerm) {
        loop.assertInside();
        term = itsTerm;
        told = "";
        failures = 0;
        doubted = false;
        noted = HighWater.NONE;
        namedNanos = loop.nanos() - NAMING_NANOS;
        waiting = "it has not checked its map against the DFS yet";
        look();
    }

    /** This master no longer leads. */
    public void clear() {
        loop.assertInside();
        term = 0;
        attempt++;
        looking = 0;
        passedTerm = 0;
        waiting = "";
        dfs = "";
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
        looking = mine;
        askAll().thenCompose(shown -> replication
                        .propose(new NoOp())
                        .thenAccept(proof -> loop.submit(() -> {
                            if (mine == attempt) {
                                looking = 0;
                                judge(proof, shown);
                            }
                        })))
                .whenComplete((nothing, failure) -> loop.submit(() -> {
                    if (mine == attempt && failure != null) {
                        looking = 0;
                        waits("it cannot check its map against the DFS: " + failure.getMessage());
                        lookAgain();
                    }
                }));
    }

    private void waits(String why) {
        if (!hasPassed()) {
            waiting = why;
        }
    }

    private void judge(MasterAnswer proof, Shown shown) {
        if (!proof.isOk()) {
            lookAgain();
            return;
        }
        Problem problem = problem(replication.cluster(), replication.state(), shown);
        if (problem != null && hasPassed() && !doubted) {
            doubted = true; // What was published after the listing is no problem, so it must be seen twice.
            lookAgain();
            return;
        }
        if (problem != null) {
            fail(problem);
            return;
        }
        UseDfs next = ClusterDfs.next(replication.state(), shown.dfs(), shown.paths());
        if (next == null) {
            pass(shown.dfs());
        } else {
            replicate(next);
        }
    }

    private void pass(Optional<DfsIdentity> used) {
        attempt++;
        dfs = used.map(DfsIdentity::id).orElse("");
        passedTerm = term;
        failures = 0;
        doubted = false;
        waiting = "";
        metrics.halted.set(0);
    }

    /** Whatever becomes of the command, the next look sees it. */
    private void replicate(UseDfs next) {
        long mine = ++attempt;
        waits("it has not replicated yet that the files of the cluster are in DFS " + next.after());
        replication
                .propose(next)
                .whenComplete((answer, failure) -> loop.submit(() -> {
                    boolean isDone = answer != null && answer.isOk();
                    if (isDone) {
                        LOG.info("the files of the cluster are in dfs={} before={}", next.after(), next.before());
                    } else {
                        LOG.warn(
                                "not replicated yet in which DFS the files are dfs={} reason={}",
                                next.after(),
                                answer == null ? failure : answer.message());
                    }
                    if (mine == attempt && isDone) {
                        look();
                    } else if (mine == attempt) {
                        lookAgain();
                    }
                }));
    }

    /** Does what there is to do while this leader has passed. */
    public void tick(MasterState state) {
        loop.assertInside();
        note(state);
        boolean isNamed = !state.dfs().isEmpty() && state.dfs().equals(dfs);
        boolean isDue = looking == 0 && loop.nanos() - namedNanos >= NAMING_NANOS;
        if (hasPassed() && !isNamed && isDue && state.level() >= FeatureLevels.DFS) {
            namedNanos = loop.nanos();
            look();
        }
    }

    /** Why a server must not be admitted, by the DFS that it uses; null if nothing speaks against it. Thread-safe. */
    public @Nullable String serverProblem(String server, String used) {
        return ClusterDfs.serverProblem(server, used, dfs, replication.state().level());
    }

    /** Notes in the DFS how far the map has come, whenever it has come further. */
    private void note(MasterState state) {
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
    void fail(Problem problem) {
        loop.assertInside();
        passedTerm = 0;
        dfs = "";
        waiting = problem.text();
        metrics.halted.set(1);
        if (!problem.text().equals(told)) {
            told = problem.text();
            LOG.error("this leader changes nothing and deletes nothing reason={}", problem.text());
            events.add(
                    EventKind.HALTED, Event.newBuilder().setReason("nothing is changed or deleted: " + problem.text()));
        }
        failures++;
        if (problem.isOfSettings() && failures % FAILURES_TO_HAND_OVER == 0) {
            handOver();
        }
        lookAgain();
    }

    /** One wrong setting does not stop the cluster. To the others in turn, since they may be wrong as well. */
    private void handOver() {
        List<MasterPeer> followers = replication.peers().stream()
                .filter(peer -> peer.getRole().equals("FOLLOWER") && peer.getBehind() >= 0)
                .toList();
        if (!followers.isEmpty()) {
            MasterPeer next = followers.get(handOvers++ % followers.size());
            LOG.warn("handing leadership over, for another master may be set right to={}", next.getId());
            replication.transferLeadership(next.getMember());
        }
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
