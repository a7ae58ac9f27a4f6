package cleave.master.core;

import cleave.master.policy.FailureDetector;
import cleave.master.policy.FailureDetector.Silence;
import cleave.master.replication.Proposer;
import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that servers are dead: by their silence, and sooner, if a process has ended, because its machine refuses connections to it.
 * Confined to the master loop.
 */
final class ServerWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatch.class);
    private static final long ASK_AGAIN_NANOS = 50_000_000;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final RangeCalls calls;
    private final Runnable whenGone;
    private final FailureDetector detector;
    /**
     * Set while most servers are silent: only a command proposed after that proves that this leader is not cut off
     * itself.
     */
    private final Proposer proving;

    /** @param whenGone called when {@link #deadAlready} has something new to report */
    ServerWatch(EventLoop loop, MasterTiming timing, Replication replication, RangeCalls calls, Runnable whenGone) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.calls = calls;
        this.whenGone = whenGone;
        detector = new FailureDetector(
                new FailureDetector.Timing(timing.suspectNanos(), timing.graceNanos(), timing.lateNanos()));
        proving = new Proposer(loop, replication);
    }

    /** Starts a new leadership: every server counts as just heard. */
    void begin(long now) {
        loop.assertInside();
        detector.begin(now);
    }

    void heard(Incarnation incarnation, long now) {
        loop.assertInside();
        detector.heard(incarnation, now);
    }

    /** The stream of a server broke, and it has no other. */
    void broken(Incarnation incarnation) {
        loop.assertInside();
        long now = loop.nanos();
        detector.broken(incarnation, now);
        ask(incarnation, now);
    }

    /** Repeated, because a process that ends closes what it has open one after the other; until its silence alone is enough. */
    private void ask(Incarnation incarnation, long brokenAt) {
        Server server = replication.state().servers().get(incarnation.server());
        if (server == null
                || !server.incarnation().equals(incarnation)
                || !detector.waitsFor(incarnation, brokenAt)
                || loop.nanos() - brokenAt >= timing.graceNanos()) {
            return;
        }
        calls.refuses(server.address())
                .whenComplete((refused, failure) -> loop.submit(() -> {
                    if (!Boolean.TRUE.equals(refused)) {
                        loop.schedule(ASK_AGAIN_NANOS, () -> ask(incarnation, brokenAt));
                    } else if (detector.waitsFor(incarnation, brokenAt)) {
                        LOG.info(
                                "a server's machine refuses connections to it server={} address={}",
                                incarnation,
                                server.address());
                        detector.gone(incarnation);
                        whenGone.run();
                    }
                }));
    }

    /** The servers to declare dead, at a tick. */
    List<Incarnation> dead(MasterState state, long now) {
        loop.assertInside();
        return proven(detector.judge(live(state), now));
    }

    /** The servers to declare dead, between two ticks. */
    List<Incarnation> deadAlready(MasterState state, long now) {
        loop.assertInside();
        return proven(detector.judgeAgain(live(state), now));
    }

    private static List<Incarnation> live(MasterState state) {
        return state.servers().values().stream().map(Server::incarnation).toList();
    }

    private List<Incarnation> proven(Silence silence) {
        if (silence.proofWanted()) {
            proving.propose(new NoOp(), proof -> {
                if (proof.isOk()) {
                    detector.proved(loop.nanos());
                }
            });
        }
        return silence.dead();
    }

    /** True if its process is known to have ended; otherwise it is only silent. */
    boolean isGone(Incarnation dead) {
        loop.assertInside();
        return detector.isGone(dead);
    }

    /** This master no longer leads. */
    void clear() {
        loop.assertInside();
        proving.reset();
    }
}
