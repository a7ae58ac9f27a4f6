package cleave.server.membership;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Backoffs;
import cleave.server.outside.Masters;
import cleave.server.range.ArmedFence;
import cleave.server.range.ClusterLevel;
import cleave.wire.ErrorCode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives one incarnation its fence: creates the file, has the masters arm it, and replaces it when it breaks or has taken many barriers.
 * While there is none, the ranges confirm their reads by their logs. Confined to the membership's loop.
 */
final class Fencing {
    private static final Logger LOG = LoggerFactory.getLogger(Fencing.class);

    private final Incarnation incarnation;
    private final EventLoop loop;
    private final Dfs dfs;
    private final Masters masters;
    private final ClusterLevel level;
    private final ServerMetrics metrics;
    private final Consumer<String> dead;
    private final ArmedFence armed;
    private Step step = Step.NONE;
    private @Nullable DfsFile file;
    private long number;
    private int failures;

    private enum Step {
        NONE,
        CREATING,
        /** The masters have been asked; they may have armed it, whatever is answered. */
        ARMING,
        ARMED,
        /** An attempt failed; the next one is a moment later. */
        RESTING,
        ENDED
    }

    /** @param dead called when a master says that this incarnation is dead */
    Fencing(Incarnation incarnation, IncarnationSession.Outside outside, Consumer<String> dead) {
        this.incarnation = incarnation;
        this.loop = outside.loop();
        this.dfs = outside.server().dfs();
        this.masters = outside.server().masters();
        this.level = outside.level();
        this.metrics = outside.server().metrics();
        this.dead = dead;
        this.armed = new ArmedFence(dfs.barriersPerFile(), (used, why) -> loop.submit(() -> replace(used, why)));
    }

    /** The fence for the ranges. */
    ArmedFence armed() {
        return armed;
    }

    /** Begins to make a fence, unless there is one, or the cluster is of a level that has none. */
    void want() {
        loop.assertInside();
        if (step == Step.NONE && level.permits(FeatureLevels.FENCES)) {
            create();
        }
    }

    private void create() {
        step = Step.CREATING;
        number++;
        Fence fence = new Fence(incarnation, number);
        loop.whenDone(dfs.createFence(fence.path()), (created, failure) -> {
            if (created != null && step != Step.CREATING) {
                created.close();
            } else if (created != null) {
                file = created;
                step = Step.ARMING;
                arm(fence, created, 0);
            } else if (step == Step.CREATING) {
                rest(fence + " could not be created: " + failure);
            }
        });
    }

    /** Asks until there is an answer: as long as it is open which fence is armed, none is used. */
    private void arm(Fence fence, DfsFile created, int attempts) {
        if (step != Step.ARMING) {
            return;
        }
        loop.whenDone(masters.armFence(fence.toWire()), (reply, failure) -> {
            if (step != Step.ARMING) {
                return;
            }
            ErrorCode code = reply == null
                    ? ErrorCode.UNKNOWN_OUTCOME
                    : reply.getStatus().getCode();
            switch (code) {
                case OK -> {
                    LOG.info("reads are confirmed by a fence fence={}", fence);
                    step = Step.ARMED;
                    failures = 0;
                    armed.arm(created);
                    metrics.fenceArmed.set(1);
                }
                case DEAD_INCARNATION -> dead.accept("a master says so");
                case NOT_LEADER, UNAVAILABLE, BUSY, UNKNOWN_OUTCOME ->
                    loop.schedule(Backoffs.CALLS.nanos(attempts + 1), () -> arm(fence, created, attempts + 1));
                default -> {
                    created.close();
                    rest(fence + " was refused: " + (reply == null ? "" : reply.getStatus()));
                }
            }
        });
    }

    private void rest(String why) {
        step = Step.RESTING;
        failures++;
        LOG.warn("reads are confirmed by logs for now reason={}", why);
        loop.schedule(Backoffs.OPENINGS.nanos(failures), () -> {
            if (step == Step.RESTING) {
                step = Step.NONE;
                want();
            }
        });
    }

    private void replace(DfsFile used, String why) {
        if (step == Step.ARMED && used == file) {
            LOG.info("the fence is replaced fence={} reason={}", used.path(), why);
            metrics.fenceArmed.set(0);
            used.close();
            step = Step.NONE;
            want();
        }
    }

    /** The incarnation is over. Whoever takes its ranges over seals the fence. */
    void end() {
        loop.assertInside();
        step = Step.ENDED;
        armed.disarm();
        metrics.fenceArmed.set(0);
        if (file != null) {
            file.close();
        }
    }
}
