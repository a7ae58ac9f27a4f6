package cleave.master.sweep;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.ClusterDfs;
import cleave.master.policy.HighWater;
import cleave.master.policy.MapCheck;
import cleave.master.policy.MapCheck.Problem;
import cleave.master.policy.MapCheck.Shown;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.master.state.MasterState;
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
 * <p>Masters can forget: if their folders are restored from older copies, a majority of them may lead with an old map. Masters can also be
 * set to the wrong DFS. {@link MapCheck} finds both. The leader asks the DFS first and proves <em>then</em> that it leads, so a map that is
 * not outdated has everything that the answer shows. Within a term nothing is forgotten, so one check holds to its end. The check does not
 * find what the masters forgot of the last instant before they ended, if no file shows it.
 *
 * <p>Invariant: unless the check of its term has passed, a leader proposes nothing but no-ops, gives no orders, changes no members, and
 * reports to none that it was removed. So an old map does not move on, no file is deleted, no folder of a member is emptied, and the evidence
 * remains. A leader whose settings lead it to the wrong files hands leadership over after a while.
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
    private String reported = "";
    private HighWater noted = HighWater.NONE;
    private int failures;
    private boolean noting;
    private boolean looking;

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

    /** Must be asked before a proof of leadership. */
    static CompletableFuture<Shown> ask(SweepFiles files, String cluster) {
        return files.identity()
                .thenCombine(
                        files.list(), (identity, paths) -> new Shown(identity, Optional.empty(), HighWater.NONE, paths))
                .thenCompose(shown -> shown.isOf(cluster)
                        ? files.dfs().thenApply(dfs -> new Shown(shown.identity(), dfs, shown.reached(), shown.paths()))
                        : CompletableFuture.completedFuture(shown));
    }

    private CompletableFuture<Shown> askAll() {
        return ask(files, replication.cluster())
                .thenCombine(
                        files.highWater(),
                        (shown, reached) -> new Shown(shown.identity(), shown.dfs(), reached, shown.paths()));
    }

    /** A new term begins, in which nothing is checked yet. */
    public void begin(long itsTerm) {
        loop.assertInside();
        term = itsTerm;
        reported = "";
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
        looking = false;
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
        looking = true;
        askAll().thenCompose(shown -> replication
                        .propose(new NoOp())
                        .thenAccept(proof -> loop.submit(() -> {
                            if (mine == attempt) {
                                looking = false;
                                judge(proof, shown);
                            }
                        })))
                .whenComplete((nothing, failure) -> loop.submit(() -> {
                    if (mine == attempt && failure != null) {
                        looking = false;
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
        Problem problem = MapCheck.problem(replication.cluster(), replication.state(), shown);
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
                .thenAccept(answer -> loop.submit(() -> {
                    if (answer.isOk()) {
                        LOG.info("the files of the cluster are in dfs={} before={}", next.after(), next.before());
                    } else {
                        LOG.warn(
                                "not replicated yet in which DFS the files are dfs={} reason={}",
                                next.after(),
                                answer.message());
                    }
                    if (mine == attempt && answer.isOk()) {
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
        boolean isDue = !looking && loop.nanos() - namedNanos >= NAMING_NANOS;
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
        if (!problem.text().equals(reported)) {
            reported = problem.text();
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
